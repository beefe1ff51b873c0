"""What is sent about thinking: a switch where it is off or on, and nothing by default."""

from __future__ import annotations

from typing import Any

import pytest

KEY = "sk-faults-0123456789abcdefghij"
SWITCHES = {"thinking", "enable_thinking", "reasoning_effort", "chat_template_kwargs"}
KEYS = {
    "DEEPSEEK_API_KEY": KEY,
    "ARK_API_KEY": KEY,
    "DASHSCOPE_API_KEY": KEY,
    "MISTRAL_API_KEY": KEY,
}


@pytest.mark.parametrize(
    ("model", "off"),
    [
        ("deepseek-v3.2", {"thinking": {"type": "disabled"}}),
        ("doubao-seed-1.8", {"thinking": {"type": "disabled"}}),
        ("qwen3-max", {"enable_thinking": False}),
        ("gpt5.2", {"reasoning_effort": "none"}),
        ("mistral-large-3", {}),
    ],
)
@pytest.mark.parametrize("thinking", ["off", "default"])
def test_the_default_of_the_paper_sends_no_switch(
    runs: Any, server: Any, model: str, off: dict[str, Any], thinking: str
) -> None:
    done = runs.run(
        f"model={model}",
        f"model.thinking={thinking}",
        "task=td",
        "data=sample",
        "data.path=null",
        "limit=2",
        "engine=inline",
        "engine.num_cpus=null",
        **KEYS,
    )
    assert done.code in (0, 3), done.err
    assert server.calls
    for call in server.calls:
        sent = {name: value for name, value in call.body.items() if name in SWITCHES}
        assert sent == (off if thinking == "off" else {})
        assert call.body["temperature"] == 0.0
    token = "max_completion_tokens" if model == "gpt5.2" else "max_tokens"
    assert {call.body[token] for call in server.calls[1:]} == {128}
