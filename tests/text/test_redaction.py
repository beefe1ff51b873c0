"""Nothing that looks like a secret gets past `redact`; the name of a variable does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.text.redaction import named_variables, redact, redact_options


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("api_key=abc123def", "abc123def"),
        ('{"api_key": "abc123def"}', "abc123def"),
        ("Authorization: Bearer abc.def-ghi", "abc.def-ghi"),
        ("Incorrect API key provided: sk-abcdefghijklmnop1234", "sk-abcdefghijklmnop1234"),
        ("hf_abcdefghijklmnopqrst", "hf_abcdefghijklmnopqrst"),
        ("https://user:pa55word@host.example/v1", "pa55word"),
        ("password: hunter22", "hunter22"),
    ],
)
def test_secrets_are_masked(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert "***" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "model.api_key_env=OPENAI_API_KEY",
        "api_key_env: DEEPSEEK_API_KEY",
        "max_tokens=128 token_param=max_completion_tokens",
        "python -m mouse.run model=gpt5.2 task=cc",
        "https://host.example:8000/v1",
    ],
)
def test_names_of_variables_and_ordinary_settings_stay(text: str) -> None:
    assert redact(text) == text


@given(secret=st.text(alphabet="abcdefghijk0123456789", min_size=8), around=st.text())
def test_the_value_of_a_secret_variable_never_survives(secret: str, around: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VENDOR_API_KEY", secret)
        assert secret not in redact(f"{around}{secret}{around}")


@given(st.text())
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_secrets_are_found_by_name_at_any_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_KEY", "sk-1")
    monkeypatch.setenv("TWO_KEY", "sk-2")
    options = {
        "api_key_env": "ONE_KEY",
        "clients": [{"token_env": "TWO_KEY"}],
        "x_env": "UNSET_KEY",
    }
    assert named_variables(options) == {"ONE_KEY": "sk-1", "TWO_KEY": "sk-2"}
    assert redact_options("sent sk-1 and sk-2", options) == "sent [ONE_KEY] and [TWO_KEY]"


def test_a_command_line_for_the_record() -> None:
    given = "model=openai model.api_key=hunter2 x=sk-abcdefghijklmnopqrstuv"
    assert redact(given) == "model=openai model.api_key=*** x=***"
