"""What is drawn of the worst episodes: their logs are opened once more, the others stay shut."""

from collections.abc import Mapping

from fieldloop.ingest import open_log
from fieldloop.loop.looking import Part
from fieldloop.report import check as pages

DRAWN = 8


def sketches_of(report: pages.CheckReport, parts: Mapping[str, Part]) -> dict[str, pages.Sketch]:
    """Sketch the episodes that the report asks to look at first, by episode id."""
    worst = {one.episode: one for one in pages.in_order(report)[:DRAWN] if one.episode in parts}
    made: dict[str, pages.Sketch] = {}
    for part in dict.fromkeys(parts[episode] for episode in worst):
        for recording in open_log(part.path, part.mapping).part(part.start, part.stop):
            if found := worst.get(recording.episode.id):
                made[found.episode] = pages.sketch(recording, found)
    return made
