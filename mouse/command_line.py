"""The command line as users write it, turned into what Hydra's override grammar accepts.

Owns three conveniences and one refusal: `task=tr,td` is one run of two tasks (a comma means a
sweep only under `-m`), `path=` is short for `data.path=`, and a secret on the command line is
refused, because shells, process lists and trackers keep command lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mouse.errors import UserError

_SECRET_KEY = re.compile(r"(?:^|[._+-])(?:api[_-]?key|token|secret|password|authorization)$", re.I)
_SECRET_VALUE = re.compile(r"\b(?:sk|pk|hf|key)[-_][A-Za-z0-9_-]{16,}")


def is_multirun(arguments: Sequence[str]) -> bool:
    return any(argument in ("-m", "--multirun") for argument in arguments)


def refuse_secrets(arguments: Sequence[str]) -> None:
    """Raise `UserError` where an argument holds a key instead of the name of a variable."""
    for argument in arguments:
        key, _, value = argument.partition("=")
        if (_SECRET_KEY.search(key) and value) or _SECRET_VALUE.search(argument):
            raise UserError(
                f"a secret on the command line ({key}=…) is refused, because process lists and "
                "shell histories keep it: put the key in an environment variable or a .env file "
                "and name that variable with model.api_key_env=NAME. Treat the key as exposed."
            )


def rewrite(arguments: Sequence[str]) -> list[str]:
    """Arguments for Hydra. `task=tr,td` and `task=[tr,td]` become one run with two tasks."""
    refuse_secrets(arguments)
    sweep = is_multirun(arguments)
    rewritten: list[str] = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals:
            rewritten.append(argument)
        elif key == "task" and value.startswith("[") and value.endswith("]"):
            rewritten += ["task=all", f"task.names={value}"]
        elif key == "task" and "," in value and not sweep:
            rewritten += ["task=all", f"task.names=[{value}]"]
        elif key == "path":
            rewritten.append(f"data.path={value}")
        else:
            rewritten.append(argument)
    return rewritten


def scrub(arguments: Sequence[str]) -> str:
    """The command line for a record, anything that looks like a secret replaced by `***`."""
    shown = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if equals and _SECRET_KEY.search(key):
            value = "***"
        shown.append(_SECRET_VALUE.sub("***", f"{key}{equals}{value}"))
    return " ".join(shown)
