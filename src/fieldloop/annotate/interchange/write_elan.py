"""Labels of one episode as a file of ELAN: one tier for each kind and author, times in milliseconds."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from fieldloop.annotate.interchange.elan import AT, NS_PER_MS
from fieldloop.annotate.interchange.spans import Span

KEPT = ("kind", "label", "annotator", "start and end to the millisecond")
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="1970-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
"""
TAIL = """    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""


def write_elan(spans: Sequence[Span], video: str = "") -> str:
    """Write a file; `video` is the picture that ELAN opens beside it."""
    media = f'        <MEDIA_DESCRIPTOR MEDIA_URL={quoteattr(video)} MIME_TYPE="video/mp4"/>\n' if video else ""
    lines = [HEAD, f'    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">\n{media}    </HEADER>\n    <TIME_ORDER>\n']
    ordered = sorted(spans, key=lambda span: (span.kind, span.author, span.start))
    for n, span in enumerate(ordered):
        for place, at in ((2 * n + 1, span.start), (2 * n + 2, span.end)):
            lines.append(f'        <TIME_SLOT TIME_SLOT_ID="ts{place}" TIME_VALUE="{round(at / NS_PER_MS)}"/>\n')
    lines.append("    </TIME_ORDER>\n")
    tiers: dict[tuple[str, str], list[tuple[int, Span]]] = {}
    for n, span in enumerate(ordered):
        tiers.setdefault((span.kind, span.author), []).append((n, span))
    for (kind, author), several in tiers.items():
        lines.append(
            f'    <TIER ANNOTATOR={quoteattr(author)} LINGUISTIC_TYPE_REF="default-lt" '
            f"TIER_ID={quoteattr(f'{kind}{AT}{author}')}>\n"
        )
        lines += [_write_annotation(n, span) for n, span in several]
        lines.append("    </TIER>\n")
    return "".join([*lines, TAIL])


def _write_annotation(number: int, span: Span) -> str:
    return (
        f'        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number + 1}" '
        f'TIME_SLOT_REF1="ts{2 * number + 1}" TIME_SLOT_REF2="ts{2 * number + 2}">'
        f"<ANNOTATION_VALUE>{escape(span.label)}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>\n"
    )
