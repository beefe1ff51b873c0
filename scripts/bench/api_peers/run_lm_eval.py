"""The same prompts through lm-eval (in its own environment). PROMPTS URL CONCURRENCY FOLDER"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TASK = """\
task: mouse_bench
dataset_path: json
dataset_kwargs:
  data_files: {data}
test_split: train
output_type: generate_until
description: {system}
doc_to_text: "{{{{user}}}}"
doc_to_target: "{{{{gold}}}}"
generation_kwargs:
  until: []
  max_gen_toks: 128
  temperature: 0.0
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
"""


def main() -> int:
    prompts, url, concurrency, place = sys.argv[1:]
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in Path(prompts).read_text("utf-8").splitlines()]
    data = folder / "data.jsonl"
    with data.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(
                json.dumps({"user": row["messages"][1]["content"], "gold": row["gold"]}) + "\n"
            )
    system = rows[0]["messages"][0]["content"]
    text = TASK.format(data=data, system=json.dumps(system))
    (folder / "mouse_bench.yaml").write_text(text, "utf-8")
    model = (
        f"model=bench,base_url={url}/chat/completions,num_concurrent={concurrency},max_retries=3"
    )
    command = [
        str(Path(sys.executable).parent / "lm_eval"),
        "--model=local-chat-completions",
        f"--model_args={model},tokenized_requests=False",
        "--tasks=mouse_bench",
        f"--include_path={folder}",
        "--apply_chat_template",
        "--batch_size=1",
    ]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
