"""The vendors' models are asked through the `openai` client, servers of one's own without it."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("model", "client"),
    [("gpt5.2", "AsyncOpenAI/Python"), ("openai", "Python/"), ("deepseek-v3.2", "AsyncOpenAI/")],
)
def test_the_user_s_own_line_against_a_local_server(
    runs: Any, server: Any, model: str, client: str
) -> None:
    done = runs.run(
        f"model={model}",
        "task=cc",
        "data=sample",
        "data.path=null",
        "limit=4",
        "engine=inline",
        "engine.num_cpus=null",
        DEEPSEEK_API_KEY="sk-faults-0123456789abcdefghij",
    )
    assert done.code in (0, 3), done.err
    assert len(server.calls) >= 4
    agents = {call.headers["user-agent"] for call in server.calls}
    assert all(agent.startswith(client) for agent in agents), agents
    keys = {call.headers["authorization"] for call in server.calls}
    assert keys == {"Bearer sk-faults-0123456789abcdefghij"}
