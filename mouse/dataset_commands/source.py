"""The arguments that say which data set a sub-command reads, and reading it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from mouse.corpus.shaping import Shape
from mouse.errors import UserError

if TYPE_CHECKING:
    from mouse.corpus.items import Dataset


def add_source(parser: argparse.ArgumentParser) -> None:
    """`PATH`, `--kind`, `--columns`, `--labels`, `--where`, `--constants`, `--revision`, `--json`."""
    from mouse.corpus.load import DATASET_KINDS

    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="file or folder (for the kind `mouse` also the word hub); none for the sample",
    )
    parser.add_argument(
        "--kind",
        choices=DATASET_KINDS,
        help="what PATH holds (default: files; sample without PATH)",
    )
    parser.add_argument(
        "--columns",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=HEADER",
        help="which column holds a field; an empty HEADER leaves the field unread",
    )
    for name, what in (
        ("labels", "FIELD={word: label}: what the data's words mean"),
        ("where", "HEADER=VALUE: rows to keep; a list of values as [a, b]"),
        ("constants", "FIELD=VALUE of all rows, where no column holds it"),
    ):
        parser.add_argument(
            f"--{name}", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help=what
        )
    parser.add_argument("--revision", help="revision on the hub")
    parser.add_argument("--json", action="store_true", help="print JSON")


def load_source(arguments: argparse.Namespace) -> Dataset:
    """The data set that the arguments name. Raises `UserError` as `mouse.corpus.load` does."""
    from mouse.corpus.load import load

    return load(
        arguments.kind or ("files" if arguments.path else "sample"),
        path=arguments.path,
        columns=column_overrides(arguments.columns),
        shape=Shape(*(_typed(name, getattr(arguments, name)) for name in SHAPING)),
        revision=arguments.revision,
    )


SHAPING = ("labels", "where", "constants")


def _typed(name: str, given: list[str]) -> dict[str, Any]:
    """{key: value} of `KEY=VALUE` arguments, each value read as YAML."""
    import yaml

    pairs: dict[str, Any] = {}
    for argument in given:
        key, equals, value = argument.partition("=")
        try:
            pairs[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            equals = ""
        if not equals or not key:
            raise UserError(f"--{name} {argument}: expected KEY=VALUE")
    return pairs


def column_overrides(given: list[str]) -> dict[str, str]:
    """{field: header} of `FIELD=HEADER` arguments."""
    columns: dict[str, str] = {}
    for pair in given:
        name, equals, header = pair.partition("=")
        if not equals or not name:
            raise UserError(f"--columns {pair}: expected FIELD=HEADER")
        columns[name] = header
    return columns
