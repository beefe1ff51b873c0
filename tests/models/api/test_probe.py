"""The first small call: names are adapted, experiments are not changed behind the user's back."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from mouse.contracts import Request, Sampling
from mouse.errors import UserError
from mouse.models.api.openai_chat import probe

Make = Callable[..., Any]
Ask = Callable[..., Request]


def refuses(faulty: ModuleType, *names: str, param: bool = True) -> Callable[[dict[str, Any]], Any]:
    """A server that does not take these parameters, and says so as OpenAI does."""

    def on_body(body: dict[str, Any]) -> Any:
        for name in names:
            if name in body:
                response = faulty.error(400, f"Unsupported parameter: '{name}' with this model.")
                if param:
                    response.text = response.text.replace('"param": null', f'"param": "{name}"')
                return response
        return None

    return on_body


def test_a_server_that_takes_all_is_asked_once(server: Any, client: Make, request_for: Ask) -> None:
    spec = client(extra_body={"enable_thinking": False}).spec
    adapted, report = probe(spec, request_for("很长的题目" * 50))
    assert adapted == spec
    assert report.calls == len(server.calls) == 1
    assert report.sent == {"temperature": 0.0, "max_tokens": 128, "enable_thinking": False}
    assert (report.changes, report.problem) == ([], "")
    assert report.model_reported == "tiny-2026-11-30"
    assert len(server.calls[0].text) < 10


@pytest.mark.parametrize("param", [True, False])
@pytest.mark.parametrize(
    ("given", "taken"),
    [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")],
)
def test_the_token_parameter_is_renamed(
    server: Any,
    client: Make,
    request_for: Ask,
    faulty: ModuleType,
    given: str,
    taken: str,
    param: bool,
) -> None:
    server.on_body = refuses(faulty, given, param=param)
    one = client(token_param=given)
    adapted, report = probe(one.spec, request_for("题"))
    assert report.sent == {"temperature": 0.0, taken: 128}
    assert report.changes == [f"{given} was refused and is sent as {taken}."]
    # Neither the keys of what is stored nor anything else changes with the name.
    assert adapted.identity == one.spec.identity
    completion = one.run(adapted.build().complete([request_for("题")]))[0]
    assert completion.text == "B"


def test_a_server_that_takes_neither_name_is_refused(
    server: Any, client: Make, request_for: Ask, faulty: ModuleType
) -> None:
    server.on_body = refuses(faulty, "max_tokens", "max_completion_tokens")
    with pytest.raises(UserError, match="max_completion_tokens=128"):
        probe(client().spec, request_for("题"))


@pytest.mark.parametrize(
    ("name", "sampling"),
    [("temperature", Sampling()), ("top_p", Sampling(top_p=0.9)), ("seed", Sampling(seed=1))],
)
def test_what_changes_the_experiment_is_refused_unless_accepted(
    server: Any, client: Make, request_for: Ask, faulty: ModuleType, name: str, sampling: Sampling
) -> None:
    server.on_body = refuses(faulty, name)
    with pytest.raises(UserError, match=rf"does not take {name}=.*model.accept_changes=true"):
        probe(client().spec, request_for("题", sampling=sampling))
    adapted, report = probe(client(accept_changes=True).spec, request_for("题", sampling=sampling))
    assert name not in report.sent
    assert name in report.changes[0]
    assert adapted.options["config"].drop_params == [name]


@pytest.mark.parametrize("fields", [{"choices": ("A", "B")}, {"json_schema": {"type": "object"}}])
def test_a_constraint_that_is_not_taken_is_refused_even_if_changes_are_accepted(
    server: Any, client: Make, request_for: Ask, faulty: ModuleType, fields: dict[str, Any]
) -> None:
    server.on_body = refuses(faulty, "response_format")
    with pytest.raises(UserError, match=r"does not take response_format: set task\.decoding=free"):
        probe(client(accept_changes=True).spec, request_for("题", **fields))


def test_a_constraint_that_cannot_be_sent_is_told_before_any_call(
    server: Any, client: Make, request_for: Ask
) -> None:
    with pytest.raises(UserError, match=r"model\.structured=none"):
        probe(client(structured="none").spec, request_for("题", choices=("A", "B")))
    assert server.calls == []


def test_log_probabilities_that_do_not_come_are_missed_at_once(
    client: Make, request_for: Ask
) -> None:
    with pytest.raises(UserError, match="no log-probabilities"):
        probe(client(structured="logprobs").spec, request_for("题", choices=("A", "B")))


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (401, "Incorrect API key", r"refused the key in MOUSE_TEST_KEY"),
        (402, "Insufficient Balance", r"nothing left to spend"),
        (404, "The model does not exist", r"does not know model\.id=tiny"),
        (400, "Unsupported: enable_thinking", r"enable_thinking of model\.extra_body: remove it"),
        (400, "Something else", r"refused a first small request.*Something else"),
    ],
)
def test_what_would_fail_every_request_is_one_sentence(
    server: Any,
    client: Make,
    request_for: Ask,
    faulty: ModuleType,
    status: int,
    message: str,
    expected: str,
) -> None:
    server.on_body = lambda body: faulty.error(status, message)
    with pytest.raises(UserError, match=expected) as caught:
        probe(client(extra_body={"enable_thinking": False}).spec, request_for("题"))
    assert "\n" not in str(caught.value)
    assert len(server.calls) == 1


def test_the_key_is_not_in_the_sentence(
    server: Any, client: Make, request_for: Ask, key: str
) -> None:
    server.key = "another"
    with pytest.raises(UserError) as caught:
        probe(client().spec, request_for("题"))
    assert key not in str(caught.value)


def test_no_server_is_told_with_its_address(server: Any, client: Make, request_for: Ask) -> None:
    spec = client().spec
    server.stop()
    with pytest.raises(UserError, match=r"cannot be reached at http://127\.0\.0\.1"):
        probe(spec, request_for("题"))


def test_an_overloaded_server_leaves_it_to_the_run(
    server: Any, client: Make, request_for: Ask, faulty: ModuleType
) -> None:
    server.on_body = lambda body: faulty.error(503, "Overloaded.")
    spec = client().spec
    adapted, report = probe(spec, request_for("题"))
    assert adapted == spec
    assert "503" in report.problem
    assert report.calls == 3


def test_a_short_overload_is_waited_out(
    server: Any, client: Make, request_for: Ask, faulty: ModuleType
) -> None:
    server.on_body = lambda body: faulty.error(503, "x") if len(server.calls) < 2 else None
    _, report = probe(client().spec, request_for("题"))
    assert (report.calls, report.problem) == (2, "")


def test_the_word_json_is_there_for_vendors_that_ask_for_it(
    server: Any, client: Make, request_for: Ask
) -> None:
    probe(client(structured="json_object").spec, request_for("题", json_schema={"type": "object"}))
    assert "JSON" in server.calls[0].text
    assert server.calls[0].body["response_format"] == {"type": "json_object"}
