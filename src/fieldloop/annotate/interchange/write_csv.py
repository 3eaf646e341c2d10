"""Labels as a table that loses nothing: times in seconds with all nine digits."""

import csv
import io
from collections.abc import Sequence

from fieldloop.annotate.interchange.spans import Span
from fieldloop.model.stream import NS_PER_S

COLUMNS = (
    *("episode", "kind", "label", "start_s", "end_s", "annotator", "object", "confidence", "verified_by"),
    *("values", "blob", "error", "error_unit"),
)


def write_csv(spans: Sequence[Span]) -> str:
    """Write a table; `read_labels` gives the same spans back.

    >>> print(write_csv([Span("e1", "lift", 0, 1_500_000_001, "ann")]).splitlines()[1])
    e1,phase,lift,0.000000000,1.500000001,ann,,,,,,,
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for span in spans:
        writer.writerow(
            [
                span.episode, span.kind, span.label, format_seconds(span.start), format_seconds(span.end), span.author,
                span.object, _write_number(span.confidence), span.verified_by, " ".join(map(repr, span.values)),
                span.blob, _write_number(span.error), span.error_unit,
            ]
        )  # fmt: skip
    return out.getvalue()


def format_seconds(time_ns: int) -> str:
    """Write nanoseconds as seconds without rounding.

    >>> format_seconds(12_000_000_001), format_seconds(-1)
    ('12.000000001', '-0.000000001')
    """
    sign, time_ns = ("-", -time_ns) if time_ns < 0 else ("", time_ns)
    return f"{sign}{time_ns // NS_PER_S}.{time_ns % NS_PER_S:09d}"


def _write_number(value: float | None) -> str:
    return "" if value is None else repr(float(value))
