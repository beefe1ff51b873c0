"""docs/configuration.md is written from the schema, and every option of it says what it means."""

from __future__ import annotations

import config_reference


def test_the_page_is_what_the_schema_says() -> None:
    written = config_reference.PAGE.read_text(encoding="utf-8")
    assert written == config_reference.page(), "run scripts/config_reference.py"


def test_every_option_says_what_it_means() -> None:
    options = [one for _, _, listed in config_reference.sections() for one in listed]
    assert len({one.key for one in options}) > 80
    assert [one.key for one in options if not one.meaning] == []
