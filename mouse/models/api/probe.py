"""One tiny call before the first real one: is the server there, and does it take what we send?

What is only a question of naming (`max_tokens` or `max_completion_tokens`) is adapted. What would
change the experiment (a temperature that the vendor does not take) is refused in one sentence,
unless `model.accept_changes=true`. What was in fact sent goes into the manifest.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from mouse.contracts import Completion, Message, Request
from mouse.errors import UserError
from mouse.models.api.attempt import attempt
from mouse.models.api.body import CannotConstrain, chooses_by_logprob, request_body
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.api.retry import Failure, RetryPolicy
from mouse.models.api.transport import Endpoint, open_transport
from mouse.models.base import BackendSpec, ProbeReport

MAX_CALLS = 8
"""Calls before giving up: one for each thing that may have to be adapted, and a few retries."""

PATIENCE = RetryPolicy(max_attempts=3, max_wait_s=10.0)

_TOKEN_PARAMS = ("max_tokens", "max_completion_tokens")
_CONSTRAINTS = frozenset({"response_format", "structured_outputs", "guided_choice", "guided_json"})


def probe(spec: BackendSpec, sample: Request) -> tuple[BackendSpec, ProbeReport]:
    """Ask once as the real requests will, and return the spec adapted to the answer.

    `sample` is one of the run's requests: its sampling and constraint are tried, not its text.
    The identity in the spec stays, so what was stored stays found. Raises `UserError` where the
    run would fail or would not be the experiment that was asked for. Not for use inside a running
    event loop.
    """
    return asyncio.run(_probe(spec, sample))


async def _probe(spec: BackendSpec, sample: Request) -> tuple[BackendSpec, ProbeReport]:
    config = given = spec.options["config"]
    endpoint = Endpoint.of(config)
    transport = open_transport(config.transport, endpoint)
    changes: list[str] = []
    calls = tries = 0
    first = time.monotonic()
    result: Completion | Failure | None = None
    body: dict[str, Any] = {}
    request = _tiny(sample)
    try:
        while calls < MAX_CALLS:
            try:
                body = request_body(config, request)
            except CannotConstrain as error:
                raise UserError(f"Model {config.name}: {error}") from None
            calls += 1
            result = await attempt(
                transport,
                orjson.dumps(body),
                request,
                by_logprob=chooses_by_logprob(config, request),
                secret=endpoint.api_key,
                clock=time.monotonic,
            )
            if isinstance(result, Completion) or result.finish_reason is not None:
                break
            if result.retry:
                tries += 1
                since = time.monotonic() - first
                wait = PATIENCE.next_wait(result, tries, since, random.Random(0))
                if isinstance(wait, Failure):
                    break
                await asyncio.sleep(wait)
                continue
            may_rename = config.token_param == given.token_param
            config, change = _adapt(config, body, result, may_rename=may_rename)
            changes.append(change)
    finally:
        await transport.close()
    report = ProbeReport(
        sent={key: value for key, value in body.items() if key not in ("model", "messages")},
        changes=changes,
        problem=_inconclusive(config, result),
        model_reported=result.model_reported if isinstance(result, Completion) else None,
        calls=calls,
    )
    return replace(spec, options={"config": config}), report


def _tiny(sample: Request) -> Request:
    # The word JSON must stand in the prompt where a vendor's JSON mode is on.
    text = '用 JSON 回答：{"answer": "1"}' if sample.json_schema is not None else "回答：1"
    return replace(sample, messages=(Message("user", text),))


def _inconclusive(config: OpenAIChatConfig, result: Completion | Failure | None) -> str:
    if not isinstance(result, Failure) or result.finish_reason is not None:
        return ""
    if not result.retry:
        raise UserError(
            f"The server of model {config.name} refused every small request: {result.message}"
        )
    if result.kind == "transport":
        raise UserError(
            f"The server of model {config.name} cannot be reached at {config.base_url}: check "
            f"model.base_url and the network. {result.message}"
        )
    return result.message


def _adapt(
    config: OpenAIChatConfig, body: Mapping[str, Any], failure: Failure, *, may_rename: bool
) -> tuple[OpenAIChatConfig, str]:
    """The configuration without what was refused, and a sentence about it; or a `UserError`."""
    server = f"The server of model {config.name}"
    refused = _refused_parameter(failure, body)
    if failure.kind == "auth":
        problem = f"{server} refused the key in {config.api_key_env}"
    elif failure.kind == "quota":
        problem = f"The account of model {config.name} has nothing left to spend"
    elif failure.status == 404:
        problem = (
            f"The server at {config.base_url} does not know model.id={config.id} (or "
            "model.base_url is wrong)"
        )
    elif refused is None:
        problem = f"{server} refused a first small request"
    elif refused == config.token_param and refused in _TOKEN_PARAMS and may_rename:
        other = _TOKEN_PARAMS[1 - _TOKEN_PARAMS.index(refused)]
        change = f"{refused} was refused and is sent as {other}."
        return replace(config, token_param=other), change
    elif refused in _CONSTRAINTS:
        problem = (
            f"{server} does not take {refused}: set task.decoding=free, or another "
            f"model.structured than {config.structured}"
        )
    elif refused in config.request_extras():
        problem = (
            f"{server} does not take {refused} of model.extra_body: remove it "
            "(model.thinking=default, where it is the model's thinking switch)"
        )
    elif not config.accept_changes:
        problem = (
            f"{server} does not take {refused}={body[refused]!r}, without which the experiment "
            "is another one: say model.accept_changes=true to leave it out"
        )
    else:
        change = (
            f"{refused}={body[refused]!r} was refused and is left out (model.accept_changes=true)."
        )
        return replace(config, drop_params=[*config.drop_params, refused]), change
    raise UserError(f"{problem}. {failure.message}")


def _refused_parameter(failure: Failure, body: Mapping[str, Any]) -> str | None:
    """Which of the parameters sent an error speaks of: its `param`, or the first it names."""
    sent = [key for key in body if key not in ("model", "messages")]
    named = re.split(r"[.\[]", failure.param)[0]
    if named in sent:
        return named
    found = [
        (match.start(), key)
        for key in sent
        if (match := re.search(rf"(?<![\w]){re.escape(key)}(?![\w])", failure.message))
    ]
    return min(found)[1] if found else None
