"""Workers start from a plain script without the guard `if __name__ == "__main__"`."""

import subprocess
import sys

SCRIPT = """
from fieldloop.loop.work.run_on import run_each

print("the script runs", list(run_each(abs, [-1, 2, -3], workers=2)))
"""


def test_a_script_runs_once_and_its_workers_do_not_run_it_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "the script runs [1, 2, 3]\n", "")
