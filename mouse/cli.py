"""The console script `mouse`: the entries of `python -m mouse.<entry>` as sub-commands."""

from __future__ import annotations

import importlib
import importlib.util
import sys

from mouse import __version__

ENTRIES = {
    "run": "evaluate a model and track it",
    "dataset": "validate, describe, build and synthesize data sets",
    "report": "tables and figures from tracked runs",
    "compare": "paired tests between runs",
    "annotate": "sheets for human raters, and back",
    "verify": "recompute a run's metrics from its stored predictions",
    "prompts": "check a folder of prompt templates; get a run's back",
}


def _usage() -> str:
    lines = ["usage: mouse <command> …   (or python -m mouse.<command> …)", ""]
    lines += [
        f"  {name:<10} {about}"
        for name, about in ENTRIES.items()
        if importlib.util.find_spec(f"mouse.{name}") is not None
    ]
    return "\n".join(lines)


def main() -> int:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0
    if arguments[0] == "--version":
        print(f"mouse {__version__}")
        return 0
    name = arguments[0]
    if name not in ENTRIES or importlib.util.find_spec(f"mouse.{name}") is None:
        print(f"mouse: there is no command {name!r}.\n{_usage()}", file=sys.stderr)
        return 2
    module = importlib.import_module(f"mouse.{name}")
    if hasattr(module, "__path__"):  # a package, whose command is what `python -m` runs
        module = importlib.import_module(f"mouse.{name}.__main__")
    code: int = module.main(arguments[1:])
    return code


if __name__ == "__main__":
    sys.exit(main())
