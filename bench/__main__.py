"""Run every bench in its short form, print the figures and write them to bench/results/table.md after each."""

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import bench
from bench.harness import Missing, Skipped, print_to_stderr, table

RESULTS = Path(__file__).parent / "results"
HEAD = (
    "# Bench figures",
    "",
    "Short forms; the median of n runs with its 95 % interval, or the range of few.",
)


def main() -> None:
    """Run them one after the other; a bench that fails is written down with its error, and the rest still runs."""
    parts, failed = list(HEAD), []
    RESULTS.mkdir(exist_ok=True)
    for name, module in _list_benches():
        print(f"== {name}", flush=True)
        written, error = _run_short(module)
        print(written, flush=True)
        parts += ["", f"## {name}: {(module.__doc__ or '').splitlines()[0]}", "", written]
        failed += [name] if error else []
        (RESULTS / "table.md").write_text("\n".join(parts) + "\n", encoding="utf-8")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}. The others are in {RESULTS / 'table.md'}.")


def _list_benches() -> Iterator[tuple[str, ModuleType]]:
    """Import what has `measure`; other modules are parts of benches."""
    for found in sorted(pkgutil.iter_modules(bench.__path__), key=lambda each: each.name):
        if found.name != "__main__" and hasattr(module := importlib.import_module(f"bench.{found.name}"), "measure"):
            yield found.name, module


def _run_short(module: ModuleType) -> tuple[str, bool]:
    """Return what a bench measured as a table, or why it did not, and whether that is an error."""
    try:
        with print_to_stderr():
            return table(module.measure(short=True)), False
    except Missing as reason:
        return str(Skipped(str(reason))), False
    except Exception as error:  # noqa: BLE001 - one bench must not take the others' figures with it
        traceback.print_exc()
        return f"failed: {type(error).__name__}: {error}", True


if __name__ == "__main__":
    main()
