"""The page of checks, made from the checks themselves and the limits in force."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldloop.check import BATCH_CHECKS, CHECKS, Check
from fieldloop.check.dimension import dimension_of
from fieldloop.protocol import CollectionProtocol

HEAD = """# Checks

Made from the code and the shipped protocol; do not edit by hand. A protocol of your own changes any limit.
Every number says where it comes from; *assumed* is honest, and should become *measured* at your site.
The example is what the check says of a healthy recording that was injured for it.
"""


def markdown(protocol: CollectionProtocol, examples: Mapping[str, str]) -> str:
    """Return docs/checks.md: each check's question, limit, why, cost, what to do, and what it says of an injury."""
    parts = [
        HEAD,
        "## One episode\n",
        *_section(CHECKS, protocol, examples),
        "## Many episodes\n",
        *_section(BATCH_CHECKS, protocol, examples),
    ]
    if pending := [name for name, limit in protocol.limits.items() if limit.pending]:
        listed = ", ".join(f"`{n}`" for n in pending)
        parts.append(f"## Judged elsewhere\n\nLimits that no check of an episode or a dataset uses: {listed}.")
    return "\n".join(parts) + "\n"


def _section(
    checks: Mapping[str, Check[Any]], protocol: CollectionProtocol, examples: Mapping[str, str]
) -> Iterator[str]:
    for name, check in checks.items():
        limit = protocol.limits[name]
        source = f"{limit.source.kind.value}, {limit.source.ref}"
        numbers = "".join(f"; {key} {value:g}" for key, value in limit.parameters.items())
        about = f" {check.about}" if check.about else ""
        yield (
            f"### `{name}`\n\n{check.asks}{about}\n\n"
            f"- limit: {limit}{' (required)' if limit.required else ''}{numbers}\n"
            f"- why: {limit.why} ({source})\n- what to do: {check.advice}\n"
            f"- counts for {dimension_of(check).value}; a failure costs {limit.cost:.0%} of an episode's worth"
            f"{'; decodes pictures' if check.pixels else ''}\n- example: {examples[name]}\n"
        )
