"""The page of checks, made from the checks themselves and the limits in force."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldloop.check import BATCH_CHECKS, CHECKS, Check
from fieldloop.protocol import CollectionProtocol

HEAD = """# Checks

Made from the code and the shipped protocol; do not edit by hand. A protocol of your own changes any limit.
Every number says where it comes from; *assumed* is honest, and should become *measured* at your site.
"""


def markdown(protocol: CollectionProtocol) -> str:
    """Return docs/checks.md: each check's question, unit, limit, why, source and what to do."""
    parts = [
        HEAD,
        "## One episode\n",
        *_section(CHECKS, protocol),
        "## Many episodes\n",
        *_section(BATCH_CHECKS, protocol),
    ]
    pending = [name for name, limit in protocol.limits.items() if limit.pending]
    parts.append(
        "## Not built yet\n\nThe protocol already holds limits for: " + ", ".join(f"`{n}`" for n in pending) + "."
    )
    return "\n".join(parts) + "\n"


def _section(checks: Mapping[str, Check[Any]], protocol: CollectionProtocol) -> Iterator[str]:
    for name, check in checks.items():
        limit = protocol.limits[name]
        source = f"{limit.source.kind.value}, {limit.source.ref}"
        numbers = "".join(f"; {key} {value:g}" for key, value in limit.parameters.items())
        about = f" {check.about}" if check.about else ""
        yield (
            f"### `{name}`\n\n{check.asks}{about}\n\n"
            f"- limit: {limit}{' (required)' if limit.required else ''}{numbers}\n"
            f"- why: {limit.why} ({source})\n- what to do: {check.advice}\n"
        )
