"""Parse untrusted YAML without anchors and merges, which can expand a small text endlessly."""

from typing import Any

MERGE = "<<"


def parse_yaml(text: str) -> Any:
    """Read one document; ValueError where it is not valid YAML, or refers to parts of itself.

    >>> parse_yaml("a: [1, 2]")
    {'a': [1, 2]}
    """
    from ruamel.yaml import YAML

    try:
        for event in YAML(typ="safe").parse(text):
            _refuse_alias(event)
        return YAML(typ="safe").load(text)
    except Exception as wrong:  # the parser raises whatever broken text leads it to
        raise ValueError(" ".join(str(wrong).split())[:120] or type(wrong).__name__) from wrong


def _refuse_alias(event: Any) -> None:
    from ruamel.yaml.events import AliasEvent, ScalarEvent

    if isinstance(event, AliasEvent) or (isinstance(event, ScalarEvent) and event.value == MERGE):
        line = getattr(event.start_mark, "line", 0) + 1
        raise ValueError(f"line {line} refers to another part of the text, which is not followed")
