"""Tasks of annotation as the pages show them: what each asks for, whose it is, and how far it is."""

from fieldloop.loop.annotate.tasks import TaskShown
from fieldloop.loop.home.labelling import LabellingQueue
from fieldloop.model.labelling import TaskReason, TaskState
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_plural, format_time
from fieldloop.ui.components import Column, draw_action_button, draw_panel, draw_table

MOST = 60
ASKS = {
    TaskReason.LABEL: "Label {kinds}.",
    TaskReason.DOUBLE: "Label {kinds}; another person does the same, unseen.",
    TaskReason.CALIBRATION: "Label {kinds} of the calibration set, to qualify.",
    TaskReason.CHANGED_TAXONOMY: "Label {kinds} again: the taxonomy changed.",
    TaskReason.REPEAT: "Label {kinds} again: a spot check found them wrong.",
    TaskReason.ADJUDICATE: "Decide {kinds}: two people differ.",
    TaskReason.SUSPECT: "Decide {kinds}: the labels differ from a confident proposal.",
    TaskReason.SPOT_CHECK: "Spot-check {kinds}.",
}
"""What each kind of task asks for, in one sentence."""
LEVELS = {TaskState.OPEN: "idle", TaskState.LEASED: "run", TaskState.DONE: "good", TaskState.WITHDRAWN: "idle"}


def write_request(reason: TaskReason, kinds: tuple[str, ...]) -> str:
    """Say in one sentence what a task asks for.

    >>> write_request(TaskReason.LABEL, ("phase", "action", "grasp"))
    'Label phase, action and grasp.'
    """
    listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1] if kinds else "labels")))
    return ASKS[reason].format(kinds=listed)


def draw_tasks(queue: LabellingQueue) -> Markup:
    """List tasks that are not done; a lead may withdraw one."""
    tasks = [task for task in queue.tasks.tasks if task not in queue.decisions]
    if not tasks:
        how = "Deal episodes below." if queue.lead else "A lead annotator deals tasks."
        return draw_panel("Tasks", tag("p", how, class_="dim"), note="nothing is open", columns=6)
    columns = ("Episode", Column("What", "wrap"), "State", "Whose", "")
    rows = [_make_row(task, queue) for task in tasks[:MOST]]
    note = f"{len(rows)} of {format_plural(len(tasks), 'task')}" if len(tasks) > MOST else ""
    return draw_panel("Tasks", draw_table(columns, rows), note=note, columns=6, flush=True)


def _make_row(task: TaskShown, queue: LabellingQueue) -> tuple[Markup | str, ...]:
    until = (
        "" if task.lease_until_ns is None or task.state is not TaskState.LEASED else format_time(task.lease_until_ns)
    )
    word = "taken" if task.state is TaskState.LEASED else task.state.value
    state = tag("span", draw_level_mark("warn" if task.overdue else LEVELS[task.state]), " ",
                f"{word}, overdue" if task.overdue else word, title=f"until {until}" if until else None,
                class_="an-state")  # fmt: skip
    why = " ".join(write_sentence(one) for one in task.because)
    asks = join(write_request(task.reason, task.kinds), tag("small", why) if why else None)
    cells = (
        tag("a", task.name, href=f"/annotate/{task.episode}"),
        asks,
        state,
        task.taken_by if task.state is TaskState.LEASED else task.annotator or "anyone",
    )
    actions = (_draw_take_button(task, queue.person), _draw_withdraw_button(task, queue))
    return (*cells, tag("span", *actions, class_="chips"))


def _draw_take_button(task: TaskShown, person: str) -> Markup | None:
    if task.state is not TaskState.OPEN or task.annotator not in ("", person):
        return None
    return draw_action_button("Take", "/api/annotate/next", {"task": task.id}, goes="/annotate/{task.episode}")


def _draw_withdraw_button(task: TaskShown, queue: LabellingQueue) -> Markup | None:
    if not queue.lead:
        return None
    return draw_action_button(
        "Withdraw", "/api/annotate/withdraw", {"task": task.id}, kind="ghost", confirm_text="Withdraw it?"
    )
