"""What users write on the command line, and what Hydra gets to see."""

from __future__ import annotations

import pytest

from mouse.command_line import refuse_secrets, rewrite, scrub
from mouse.errors import UserError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["task=td"], ["task=td"]),
        (["task=tr,td"], ["task=all", "task.names=[tr,td]"]),
        (["task=[tr,td]"], ["task=all", "task.names=[tr,td]"]),
        (["-m", "task=td,cc"], ["-m", "task=td,cc"]),
        (["--multirun", "task=td,cc"], ["--multirun", "task=td,cc"]),
        (["-m", "task=[td,cc]"], ["-m", "task=all", "task.names=[td,cc]"]),
        (["path=somewhere"], ["data.path=somewhere"]),
        (["--help"], ["--help"]),
        (["model=gpt5.2", "limit=3"], ["model=gpt5.2", "limit=3"]),
    ],
)
def test_rewriting(given, expected):
    assert rewrite(given) == expected


@pytest.mark.parametrize(
    "argument",
    [
        "model.api_key=abc",
        "+api_key=abc",
        "+model.extra_headers.X-Api-Key=shapeless",
        "+model.extra_headers.X-Auth-Token=shapeless",
        "model.extra_headers.Authorization=Bearer x",
        "model.id=sk-abcdefghijklmnopqrstuvwx",
        "token=abc",
    ],
)
def test_a_secret_is_refused_without_repeating_it(argument):
    with pytest.raises(UserError, match="secret on the command line") as caught:
        refuse_secrets([argument])
    assert argument.partition("=")[2] not in str(caught.value)


@pytest.mark.parametrize(
    "argument", ["model.api_key_env=OPENAI_API_KEY", "model.token_param=max_tokens", "api_key="]
)
def test_the_name_of_a_variable_is_not_a_secret(argument):
    refuse_secrets([argument])


def test_scrubbed_for_the_record():
    line = scrub(["model=openai", "model.api_key=hunter2", "x=sk-abcdefghijklmnopqrstuv"])
    assert line == "model=openai model.api_key=*** x=***"
