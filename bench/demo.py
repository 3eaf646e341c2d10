"""Does the demo end well? The whole story for each seed: `python -m bench.demo 100 101 … --out docs/results/demo.json`.

A seed ends well where p1 loses at least 15 points from the laboratory to the floor, an alarm is raised, the gate passes
p2, the rollout reaches the whole fleet, and p2 succeeds on the floor at most 5 points less often than p1 in the
laboratory. Rows are written after every seed, so that a run can be stopped and continued.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from fieldloop.loop.floor.demo import Story, demo
from fieldloop.model.finding import Status
from fieldloop.model.rollout import Rung

DROP, NEAR = 0.15, 0.05
COLUMNS = (
    "seed", "lab", "gate p1", "floor before", "alarms", "cause (share)", "gate p2", "last rung", "floor after",
    "ends well", "CPU s",
)  # fmt: skip


def run_seed(seed: int) -> dict[str, Any]:
    """Run the demo once and return its row; processor time includes the worker processes."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        story = demo(Path(folder) / "workspace", seed=seed, tell=lambda *_: None)
    spent = sum(os.times()[:4]) - sum(before[:4])
    return {
        "seed": seed,
        "lab": story.laboratory,
        "gate_before": story.gate_before.value,
        "floor_before": round(story.floor_before, 4),
        "alarms": story.alarms,
        "cause": story.cause,
        "cause_share": round(story.cause_share, 3),
        "demonstrations": story.demonstrations_planned,
        "gate_after": story.gate_after.value,
        "rung": story.rung.value,
        "floor_after": round(story.floor_after, 4),
        "ends_well": ends_well(story),
        "cpu_s": round(spent, 1),
        "wall_s": round(story.seconds, 1),
    }


def ends_well(story: Story) -> bool:
    """Tell whether the story has its drop, its alarm and its recovery."""
    return (
        story.laboratory - story.floor_before >= DROP
        and story.alarms > 0
        and story.gate_after is Status.PASSED
        and story.rung is Rung.FLEET
        and story.laboratory - story.floor_after <= NEAR
    )


def table(rows: list[dict[str, Any]]) -> str:
    """Write the rows as a Markdown table."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    for row in rows:
        cells = (
            row["seed"], f"{row['lab']:.0%}", row["gate_before"], f"{row['floor_before']:.1%}", row["alarms"],
            f"{row['cause']} ({row['cause_share']:.0%})", row["gate_after"], row["rung"], f"{row['floor_after']:.1%}",
            "yes" if row["ends_well"] else "no", f"{row['cpu_s']:.0f}",
        )  # fmt: skip
        lines.append(f"| {' | '.join(str(cell).replace('_', ' ') for cell in cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the seeds that the file does not hold yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int)
    parser.add_argument("--out", type=Path, required=True)
    parsed = parser.parse_args()
    rows = json.loads(parsed.out.read_text()) if parsed.out.exists() else []
    for seed in parsed.seeds:
        if seed not in {row["seed"] for row in rows}:
            rows = sorted([*rows, run_seed(seed)], key=lambda row: row["seed"])
            parsed.out.parent.mkdir(parents=True, exist_ok=True)
            parsed.out.write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
