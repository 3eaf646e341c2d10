"""A dataset report with something in every part, and names that must stay text."""

import math
from dataclasses import replace

from tests.doors.story import NASTY, NOW

from fieldloop.model.contents import TaskContents
from fieldloop.model.event import DatasetJudged
from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Subject, note
from fieldloop.model.quality import CheckTally, DatasetReport, Dimension, DimensionResult
from fieldloop.model.ranking import Look, Ranking
from fieldloop.model.trend import Series

PASSED, FAILED = Status.PASSED, Status.FAILED
NAN = math.nan
SERIES = Series(
    NASTY, "s", ("a", "b", "c", NASTY), (1, 2, 3, 4), (5,) * 4, (1.0, NAN, 1.2, 4.0), (NAN, NAN, 0.8, 0.9),
    (NAN, NAN, 1.3, 1.2), (3,),
)  # fmt: skip
HELD = Finding(
    "force.window", Subject("gripper"), FAILED, 28.6, 5.0, 25.0, "N", note("check.named", names=(NASTY,)), low=27.0,
    high=30.0,
)  # fmt: skip
IDLE = note("check.fix_idle_head")
LOOK = Look(
    "04" * 32, NASTY, FAILED, 0.7, (HELD, HELD), 2.917,
    (Fix(FixKind.TRIM, IDLE), Fix(FixKind.RESTAMP, IDLE, NASTY, shift_ns=-12_000_000)),
)  # fmt: skip


def judged(workspace, **more):
    """Write the report down, changed as asked."""
    rules = workspace.protocol()
    tally = CheckTally("force.window", {FAILED: 1, PASSED: 39}, 1, 14.2, 5.0, 25.0, "N")
    quiet = CheckTally("timing.rate", {PASSED: 40}, 0, 1.0, None, 2.0, "Hz")
    contents = TaskContents(
        NASTY, 40, 30, 40, 0.6, 0.86, (5.0, 9.0, 12.0), {NASTY: 10}, {}, {"op-1": 40}, {}, {"lighting": {"dim": 40}}
    )
    result = DimensionResult(
        Dimension.SENSOR_FIDELITY,
        FAILED,
        {PASSED: 39, FAILED: 1},
        0.975,
        0.87,
        0.996,
        {},
        (HELD,),
        note("check.dimension_no_evidence"),
    )
    silent = DimensionResult(
        Dimension.REPRODUCIBILITY, Status.CANNOT_TELL, {}, None, 0.0, 1.0, {}, (), note("check.dimension_no_evidence")
    )
    made = DatasetReport(
        rules.version_name, rules.fingerprint, FAILED, {PASSED: 39, FAILED: 1}, (replace(HELD, check="batch.x"),),
        (result, silent), Ranking((LOOK,) * 9, 40), Ranking((LOOK,) * 9, 40).sentence, (SERIES,), 12,
        (contents,), (tally, quiet), at_ns=NOW,
    )  # fmt: skip
    workspace.write(DatasetJudged(replace(made, **more)))
