"""The betting test of `ville` 0.1.0 (BSD-3) on the same pairs, in a venv of its own under a temporary folder."""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from bench.harness import Missing

VILLE = "ville==0.1.0"
INSTALL_S, RUN_S = 300, 600
THEIRS = """
import json, sys
import numpy as np
from ville import BettingTest
candidate, other, pairs, runs, alpha = json.load(sys.stdin)
rng, stops = np.random.default_rng(0), []
for _ in range(runs):
    won = (rng.random(pairs) < candidate).astype(float) - (rng.random(pairs) < other)
    stops.append(BettingTest(0.0, bounds=(-1, 1), alternative="greater", alpha=alpha).fit(won).stopping_time())
print(json.dumps(stops))
"""


def run_betting_test(cases: list[tuple[float, float]], pairs: int, runs: int, alpha: float) -> list[list[int | None]]:
    """Return for each case at which pair each run stopped, None where it did not; raise `Missing` without ville."""
    with tempfile.TemporaryDirectory() as folder:
        python = _install(Path(folder))
        return [_run(python, [*case, pairs, runs, alpha]) for case in cases]


def _install(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    try:
        asked = [str(python), "-m", "pip", "install", "-q", VILLE]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=INSTALL_S)
    except subprocess.TimeoutExpired as slow:
        raise Missing(f"{VILLE} was not installed within {INSTALL_S} s") from slow
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Missing(f"{VILLE} cannot be installed: {reason}")
    return python


def _run(python: Path, asked: list[float]) -> list[int | None]:
    done = subprocess.run(
        [str(python), "-c", THEIRS], input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=RUN_S
    )
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise Missing(f"{VILLE} failed; its message stands on standard error")
    stops: list[int | None] = json.loads(done.stdout)
    return stops
