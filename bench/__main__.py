"""Run every bench in its short form, print the figures and write them to bench/results/table.md."""

import importlib
import pkgutil
from pathlib import Path

import bench
from bench.harness import table

HERE = Path(__file__).parent


def main() -> None:
    """Run them one after the other; modules without `measure` are skipped."""
    parts = ["# Bench figures", "", "Short forms; the median of n runs and its 95 % interval."]
    for found in sorted(pkgutil.iter_modules(bench.__path__), key=lambda each: each.name):
        if found.name == "__main__":
            continue
        module = importlib.import_module(f"bench.{found.name}")
        if not hasattr(module, "measure"):
            continue
        print(f"== {found.name}", flush=True)
        written = table(module.measure(short=True))
        print(written, flush=True)
        parts += ["", f"## {found.name}: {(module.__doc__ or '').splitlines()[0]}", "", written]
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "table.md").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
