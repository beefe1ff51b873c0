"""The arguments that say which data set a sub-command reads, and reading it."""

from __future__ import annotations

import argparse
import re
from typing import Any

from mouse.config.schema import OPEN_MAPPINGS
from mouse.config.typed import read_typed, typed_mapping
from mouse.corpus.items import Dataset
from mouse.corpus.load import DATASET_KINDS, load
from mouse.corpus.reading.shaping import Shape
from mouse.errors import UserError

_SHAPING = re.compile(rf"data\.({'|'.join(OPEN_MAPPINGS)})(?:\.(?=.*=)|(?==))", re.DOTALL)


def add_source(parser: argparse.ArgumentParser) -> None:
    """PATH and what else says which data set; `data.columns.FIELD=HEADER` may stand beside PATH."""
    parser.add_argument(
        "path",
        nargs="*",
        metavar="PATH",
        help="files, folders or wildcards (for the kind `mouse` also the word hub), and "
        "data.columns.FIELD=HEADER, data.labels.…, data.where.… as for mouse.run; no PATH for "
        "the sample",
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
    parser.add_argument(
        "--perturbations",
        nargs="+",
        metavar="NAME",
        help="which of ToxiCloakCN's files: homophone, emoji, homophone_keyword, emoji_keyword",
    )
    parser.add_argument("--revision", help="revision on the hub")
    parser.add_argument("--json", action="store_true", help="print JSON")


def load_source(arguments: argparse.Namespace) -> Dataset:
    """The data set that the arguments name. Raises `UserError` as `mouse.corpus.load` does."""
    shaping: dict[str, list[str]] = {name: list(getattr(arguments, name)) for name in OPEN_MAPPINGS}
    paths = []
    for given in arguments.path:
        if opened := _SHAPING.match(given):
            shaping[opened[1]].append(given[opened.end() :])
        else:
            paths.append(given)
    kind = arguments.kind or ("files" if paths else "sample")
    chosen = {"perturbations": arguments.perturbations} if arguments.perturbations else {}
    return load(
        kind,
        path=paths[0] if len(paths) == 1 else paths,
        columns=column_overrides([*arguments.columns, *shaping.pop("columns")]),
        shape=Shape(**{name: _typed(name, given) for name, given in shaping.items()}),
        revision=arguments.revision,
        **chosen,
    )


def _typed(name: str, given: list[str]) -> dict[str, Any]:
    """The mapping of `KEY=VALUE` arguments, as mouse.run reads `data.NAME.KEY=VALUE`."""
    for argument in given:
        if "=" not in argument:
            raise UserError(f"--{name} {argument}: expected KEY=VALUE")
    pairs = [argument.partition("=")[::2] for argument in given]
    try:
        return typed_mapping(name, [(key, read_typed(value)) for key, value in pairs])
    except ValueError as error:
        raise UserError(f"--{name} {error}") from error


def column_overrides(given: list[str]) -> dict[str, str]:
    """{field: header} of `FIELD=HEADER` arguments."""
    columns: dict[str, str] = {}
    for pair in given:
        name, equals, header = pair.partition("=")
        whole = read_typed(header) if equals and not name else None
        if isinstance(whole, dict):
            columns |= {key: str(value) for key, value in whole.items()}
        elif not name or not equals:
            raise UserError(f"--columns {pair}: expected FIELD=HEADER")
        else:
            columns[name] = header
    return columns
