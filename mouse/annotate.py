"""`python -m mouse.annotate`: sheets for people who rate translations or answer items, and back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from mouse.annotation.questionnaire.commands import add_questionnaire
from mouse.annotation.translations.commands import add_export, add_import
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE, UserError

EXAMPLES = """examples:
  python -m mouse.annotate export 3f2a9c --n 150 --seed 0 --raters 3
  python -m mouse.annotate export 3f2a9c --n 90 --stratify score --lang en --out rating/second
  python -m mouse.annotate import 3f2a9c mlruns/annotations/3f2a9c41
  python -m mouse.annotate questionnaire export --groups familiar=3,unfamiliar=2 --out people
  python -m mouse.annotate questionnaire import people --track
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit code is 0, or 2 for wrong usage or faulty sheets."""
    parser = argparse.ArgumentParser(
        prog="python -m mouse.annotate",
        description="Measure a run's judge against people: blinded sheets out, agreement back.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for add in (add_export, add_import, add_questionnaire):
        add(commands)
    given = parser.parse_args(argv)
    try:
        given.run(given)
    except UserError as error:
        print(f"mouse.annotate: {error}", file=sys.stderr)
        return EXIT_USAGE
    return EXIT_COMPLETE


if __name__ == "__main__":
    sys.exit(main())
