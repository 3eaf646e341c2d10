"""The annotation page of one episode: the player with lanes that are edited while it plays."""

from fieldloop.doors.written import convert_to_json
from fieldloop.loop.annotate.labels import EpisodeLabels, show_episode_labels
from fieldloop.loop.look.view import ADDRESS
from fieldloop.model.labelling import TaskReason
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.ui.components import make_script_element
from fieldloop.ui.pages.annotate_lead import draw_verdicts
from fieldloop.ui.pages.annotate_tasks import write_request
from fieldloop.ui.visit import Drawn, Visit

MODULE = "annotate.js"


def draw(visit: Visit) -> Drawn:
    """Draw the editor of one episode's labels."""
    now = show_episode_labels(visit.workspace, visit.path["episode"])
    title = join(tag("a", "Annotate", href="/annotate"), " / ", now.name)
    labels = convert_to_json(now)
    modes = {kind: now.taxonomy.get_overlap(kind).value for kind in now.taxonomy.kinds}
    args = {
        "labels": labels, "modes": modes, "version": now.taxonomy.version_name, "address": f"{ADDRESS}/{now.episode}",
    }  # fmt: skip
    return Drawn(title, (*_draw_tasks(now), make_script_element(MODULE, args)))


def _draw_tasks(now: EpisodeLabels) -> tuple[Markup, ...]:
    rows = [
        tag("p", draw_level_mark("run"), " ", write_request(one.reason, one.kinds), " ",
            *(tag("span", write_sentence(why), " ", class_="dim") for why in one.because),
            draw_verdicts(one) if one.reason is TaskReason.SPOT_CHECK else None)
        for one in now.tasks
    ]  # fmt: skip
    return (tag("section", *rows, class_="an-task", aria_label="Your task"),) if rows else ()
