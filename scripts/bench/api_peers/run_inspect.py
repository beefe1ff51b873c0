"""The same prompts through inspect_ai (in its own environment). PROMPTS URL CONCURRENCY LOG_DIR"""

from __future__ import annotations

import json
import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate


def main() -> None:
    prompts, url, concurrency, logs = sys.argv[1:]
    with open(prompts, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    samples = [
        Sample(
            input=[
                ChatMessageSystem(content=row["messages"][0]["content"]),
                ChatMessageUser(content=row["messages"][1]["content"]),
            ],
            target=row["gold"],
        )
        for row in rows
    ]
    limit = int(concurrency)
    model = get_model(
        "openai/bench",
        base_url=url,
        api_key="none",
        responses_api=False,
        config=GenerateConfig(temperature=0.0, max_tokens=128, max_connections=limit),
    )
    [log] = eval(
        Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match()),
        model=model,
        max_samples=limit,
        log_dir=logs,
        display="none",
    )
    assert log.status == "success", log.error
    print(log.results.completed_samples, "answers")


if __name__ == "__main__":
    main()
