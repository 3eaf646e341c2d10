"""The page docs/checks.md, generated from the checks and the shipped limits."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldloop.check import BATCH_CHECKS, CHECKS, Check
from fieldloop.check.dimension import find_check_dimension
from fieldloop.check.signals.sensed import Evidence
from fieldloop.protocol import CollectionProtocol, Limit, Parameter

HEAD = """# Checks

Generated from the code and the shipped protocol; do not edit by hand. A protocol of your own can change any limit.
Limits and parameters have a source. *assumed* means that no better source is known; measure it at your site.
Each example is the finding about a healthy recording that was damaged on purpose.
"""


EVIDENCE_IN_WORDS = {
    Evidence.SENSOR: "a sensor is known to have measured the stream",
    Evidence.CLOCK: "a sensor is known to have measured the stream, and one sender stamped it in real time",
}


def write_checks_markdown(protocol: CollectionProtocol, examples: Mapping[str, str], advice: Mapping[str, str]) -> str:
    """Return docs/checks.md: each check's question, numbers, cost, advice, and its finding about an injury."""
    parts = [
        HEAD,
        "## One episode\n",
        *_write_topic_section(CHECKS, protocol, examples, advice),
        "## Many episodes\n",
        *_write_topic_section(BATCH_CHECKS, protocol, examples, advice),
    ]
    if pending := [name for name, limit in protocol.limits.items() if limit.pending]:
        listed = ", ".join(f"`{n}`" for n in pending)
        parts.append(f"## Limits judged elsewhere\n\nLimits that no check of an episode or a dataset uses: {listed}.")
    return "\n".join(parts) + "\n"


def _write_topic_section(
    checks: Mapping[str, Check[Any]],
    protocol: CollectionProtocol,
    examples: Mapping[str, str],
    advice: Mapping[str, str],
) -> Iterator[str]:
    for name, check in checks.items():
        limit = protocol.limits[name]
        numbers = "".join(_write_parameter(key, one) for key, one in limit.parameters.items())
        about = f" {check.about}" if check.about else ""
        yield (
            f"### `{name}`\n\n{check.asks}{about}\n\n"
            f"- limit: {limit}{' (required)' if limit.required else ''}\n"
            f"- why: {limit.why} ({_write_source(limit)})\n{_write_limit_without_protocol(limit, check)}"
            f"{numbers}- what to do: {check.advice or advice[name]}\n"
            f"- dimension: {find_check_dimension(check).value}; a failure costs {limit.cost:.0%} of an episode's worth"
            f"{'; decodes pictures' if check.pixels else ''}\n- example: {examples[name]}\n"
        )


def _write_limit_without_protocol(limit: Limit, check: Check[Any]) -> str:
    """Write what fails data that name no protocol; all else beyond the limit is then a warning."""
    apart = limit.without_protocol
    if apart is None:
        return "- without a named protocol: never fails; a number beyond the limit is a warning\n"
    shown = "the same limit" if str(apart) == str(limit) else str(apart)
    needed = f" Evidence: {EVIDENCE_IN_WORDS[check.evidence]}." if check.evidence else ""
    return f"- without a named protocol: {shown}. {apart.why} ({_write_source(apart)}){needed}\n"


def _write_parameter(name: str, stated: Parameter) -> str:
    return f"- parameter `{name}`: {stated.value:g} {stated.unit}. {stated.why} ({_write_source(stated)})\n"


def _write_source(number: Limit | Parameter) -> str:
    return f"{number.source.kind.value}, {number.source.ref}"
