"""Hydra composes the configuration and sweeps; what it says of a mistake becomes one sentence."""

from __future__ import annotations

import difflib
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mouse.config.conf import BACKEND_GROUP, conf_dir, help_text, options, register
from mouse.errors import UserError
from mouse.models.config import ModelConfig


def compose_and_call(arguments: Sequence[str], job: Callable[[Any], float]) -> None:
    """Call `job` with each configuration that the arguments describe, or answer them at once
    (`--help`; `--cfg job` by Hydra). Raises `UserError` for what Hydra complains of."""
    if "--help" in arguments or "-h" in arguments:
        print(help_text())
        return
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    register()
    # Hydra would print and exit 1 by itself; with the full error it raises, and we word it.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    main = hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name="config")
    before = sys.argv
    sys.argv = ["mouse-run", *arguments]  # the name that shell completion registers
    try:
        main(job)()
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(one_sentence(error)) from error
    finally:
        sys.argv = before


def typed(config: Any) -> Any:
    """A composed configuration as its dataclasses. Raises `UserError` for a value of a wrong type."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        return OmegaConf.to_object(config)
    except OmegaConfBaseException as error:
        raise UserError(one_sentence(error)) from error


def is_sweep(hydra: Any) -> bool:
    """Whether Hydra runs several jobs: `-m`, or an experiment that asks for it."""
    from hydra.types import RunMode

    return bool(hydra.mode is RunMode.MULTIRUN)


def sweep_size(hydra: Any, arguments: Sequence[str]) -> int:
    """Number of jobs of Hydra's basic sweeper; 0 for another, which decides as it goes."""
    from hydra.core.override_parser.overrides_parser import OverridesParser

    if not hydra.sweeper._target_.endswith("BasicSweeper"):
        return 0
    swept = {key: f"{key}={value}" for key, value in (hydra.sweeper.params or {}).items()}
    for argument in arguments:
        key, equals, _ = argument.partition("=")
        if equals and not key.startswith("-"):
            swept[key] = argument
    parsed = OverridesParser.create().parse_overrides(list(swept.values()))
    return math.prod(
        len(list(override.sweep_iterator())) for override in parsed if override.is_sweep_override()
    )


def one_sentence(error: BaseException) -> str:
    """Hydra's and OmegaConf's messages in a user's words, without their object dumps."""
    text = f"{error}\n{error.__cause__ or ''}"
    missing = re.search(r"Could not find '([^']+)/([^'/]*)'", text)
    if missing:
        group, name = missing.groups()
        if group == "hydra/sweeper":
            return "the Optuna sweeper is not installed: pip install 'mouse[sweep]'."
        known = options(group)
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {group}={close[0]}?" if close else ""
        return f"{group}={name}: there is no such {group}; known are {', '.join(known)}.{hint}"
    key = re.search(r"full_key: (\S+)", text)
    if "is not in struct" in text and key:
        return f"{key.group(1)}: there is no such key yet; add it with +{key.group(1)}=…"
    unknown = re.search(r"Key '([^']+)' not in '([^']+)'", text)
    if unknown and key:
        if unknown.group(2) == ModelConfig.__name__:
            return (
                f"{key.group(1)}: a model's YAML file begins with its backend, which has this key: "
                f"`defaults: [/{BACKEND_GROUP}@_here_: NAME]` with one of "
                f"{', '.join(options(BACKEND_GROUP))}."
            )
        return f"{key.group(1)}: there is no such key; see all keys with --cfg job."
    value = re.search(r"Value '(.*)' of type '\w+' could not be converted to (\w+)", text)
    if value and key:
        return f"{key.group(1)}={value.group(1)}: {value.group(2)} is expected."
    wrong = re.search(r"Invalid value '(.*)', expected one of \[(.*)\]", text)
    if wrong and key:
        return f"{key.group(1)}={wrong.group(1)}: expected one of {wrong.group(2)}."
    if "Ambiguous value for argument" in text:
        argument = re.search(r"argument '([^']+)'", text)
        shown = argument.group(1) if argument else "an argument"
        return f"{shown}: several values are a sweep; add -m to run them all."
    dropped = ("Config search path", "provider=", "object_type", "reference_type", "To append")
    lines = [line.strip() for line in text.splitlines()]
    kept = [line for line in lines if line and not line.startswith(dropped)]
    return " ".join(dict.fromkeys(kept))
