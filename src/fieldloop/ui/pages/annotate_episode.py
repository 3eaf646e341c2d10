"""The annotation page of one episode: the player with lanes that are edited while it plays."""

from fieldloop.doors.written import convert_to_json
from fieldloop.loop.annotate.labels import EpisodeLabels, show_episode_labels
from fieldloop.loop.look.view import ADDRESS
from fieldloop.model.labelling import TaskReason
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.ui.components import make_script_element
from fieldloop.ui.visit import Drawn, Visit

MODULE = "annotate.js"
ASKS = {
    TaskReason.LABEL: "Label {kinds}.",
    TaskReason.DOUBLE: "Label {kinds}. Another person labels this episode too; you see their labels after both submit.",
    TaskReason.CALIBRATION: "Label {kinds} of the calibration set, to qualify.",
    TaskReason.CHANGED_TAXONOMY: "Label {kinds} again: the taxonomy changed.",
    TaskReason.REPEAT: "Label {kinds} again: a spot check found them wrong.",
    TaskReason.ADJUDICATE: "Decide {kinds}: two people differ.",
    TaskReason.SUSPECT: "Look at {kinds}: the labels differ from a confident proposal.",
    TaskReason.SPOT_CHECK: "Spot-check {kinds}.",
}
"""What each kind of task asks for, in one sentence."""


def draw(visit: Visit) -> Drawn:
    """Draw the editor of one episode's labels."""
    now = show_episode_labels(visit.workspace, visit.path["episode"])
    title = join(
        tag("a", "Annotate", href="/annotate"), " / ", now.name, " ", tag("a", "look", href=f"/episodes/{now.episode}")
    )
    labels = convert_to_json(now)
    modes = {kind: now.taxonomy.get_overlap(kind).value for kind in now.taxonomy.kinds}
    args = {
        "labels": labels, "modes": modes, "version": now.taxonomy.version_name, "address": f"{ADDRESS}/{now.episode}",
    }  # fmt: skip
    return Drawn(title, (*_draw_tasks(now), make_script_element(MODULE, args)))


def write_request(reason: TaskReason, kinds: tuple[str, ...]) -> str:
    """Say in one sentence what a task asks for.

    >>> write_request(TaskReason.LABEL, ("phase", "grasp"))
    'Label phase and grasp.'
    """
    listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1] if kinds else "labels")))
    return ASKS[reason].format(kinds=listed)


def _draw_tasks(now: EpisodeLabels) -> tuple[Markup, ...]:
    rows = [
        tag("p", draw_level_mark("run"), " ", write_request(one.reason, one.kinds), " ",
            *(tag("span", write_sentence(why), " ", class_="dim") for why in one.because))
        for one in now.tasks
    ]  # fmt: skip
    return (tag("section", *rows, class_="an-task", aria_label="Your task"),) if rows else ()
