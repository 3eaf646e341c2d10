"""How fast are durable appends against the bare driver, and the rolling week over a million outcomes?

Appends: outcomes through `Store.append`, against the driver's own `executemany` of the very rows that we write (ledger,
outcomes, sums by hour), ready-made, on a database of the same layout, in the same kind of transaction, with the same
durability, in the same run; the two take turns. A slowdown of 1 would mean that we cost nothing.
"""

import contextlib
import itertools
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import Figure, Skipped, main, summarise
from fieldloop.model.condition import Stratum
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.policy import FailureClass, Outcome, Stage
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.store import Store, open_store
from fieldloop.store.fast_lane import OutcomeBatch
from fieldloop.store.statements import compile_statements
from fieldloop.testing.servers import Unavailable, run_postgres

BATCH = 1000
HOUR_NS = 3_600_000_000_000
START_NS = 1_700_000_000_000_000_000
MILLION = 1_000_000
STRATA = [
    Stratum.of(site=f"hall-{site}", tier=tier, bin=place, lighting=light)
    for site, tier, place, light in itertools.product(
        range(5), ("high", "medium"), ("front", "back"), ("bright", "dim")
    )
]
POLICIES = [f"{n:064x}" for n in range(0xABC0, 0xABC4)]

Write = Callable[[Sequence[OutcomeRecorded]], float]
"""Writes events durably in one transaction and returns the seconds it took."""


def outcome(number: int, at_ns: int) -> OutcomeRecorded:
    """Make a plausible outcome; every number gives another one."""
    stratum = STRATA[number % len(STRATA)]
    succeeded = number % 7 != 0
    return OutcomeRecorded(
        Outcome(
            id=f"outcome_{number:026d}",
            policy=POLICIES[number % len(POLICIES)],
            stratum=stratum,
            stage=Stage.PRODUCTION,
            site=stratum.level("site") or "",
            robot=f"arm-{number % 12}",
            at_ns=at_ns,
            succeeded=succeeded,
            judged_by="scale",
            failure=None if succeeded else FailureClass.GRASP,
            cycle_s=6.25 + (number % 100) / 64,
            confidence=0.5 + (number % 97) / 200,
            latency_ms=12.5 + (number % 31) / 16,
        )
    )


def ours(store: Store) -> Write:
    """Write through the store."""

    def write(events: Sequence[OutcomeRecorded]) -> float:
        begin = time.perf_counter()
        store.append(events, actor="bench", at_ns=START_NS)
        return time.perf_counter() - begin

    return write


def drivers(connection: Any, *, is_sqlite: bool) -> Write:
    """Write the same rows with the driver alone; the rows are made before the clock starts."""
    statements = compile_statements(is_sqlite=is_sqlite)
    last = 0

    def write(events: Sequence[OutcomeRecorded]) -> float:
        nonlocal last
        batch = OutcomeBatch(events, "bench", START_NS)
        rows, outcomes, hours = batch.number_rows(last, None), batch.rows, batch.hours
        last += len(events)
        begin = time.perf_counter()
        cursor = connection.cursor()
        if is_sqlite:
            cursor.execute("BEGIN IMMEDIATE")
        cursor.executemany(statements.add_events, rows)
        cursor.executemany(statements.add_outcomes, outcomes)
        cursor.executemany(statements.add_hours, hours)
        connection.commit()
        return time.perf_counter() - begin

    return write


def compare(name: str, us: Write, them: Write, rounds: int, singles: int, batches: int) -> dict[str, Figure]:
    """Let both write the same outcomes in turns, one by one and in batches."""
    numbers = itertools.count()
    figures: dict[str, Figure] = {}
    for form, size, times in (("single", 1, singles), ("batched", BATCH, batches)):
        rates: list[tuple[float, float]] = []
        for turn in range(rounds + 1):
            work = [
                [outcome(n, START_NS + n * 1_000_000) for n in itertools.islice(numbers, size)] for _ in range(times)
            ]
            seconds = dict.fromkeys((us, them), 0.0)
            for piece_number, piece in enumerate(work):  # in turns, so that whatever else the machine does meets both
                for write in (us, them) if (turn + piece_number) % 2 else (them, us):
                    seconds[write] += write(piece)
            if turn:  # the first turn only warms both up
                rates.append((size * times / seconds[us], size * times / seconds[them]))
        figures[f"{name}_{form}_per_s"] = summarise([a for a, _ in rates], "outcomes/s")
        figures[f"{name}_{form}_driver_per_s"] = summarise([b for _, b in rates], "outcomes/s")
        figures[f"{name}_{form}_slowdown"] = summarise([b / a for a, b in rates], "×", "≤ 2")
    return figures


@contextlib.contextmanager
def sqlite_pair(folder: Path) -> Iterator[tuple[Write, Write]]:
    """Open one file through the store, and one of the same layout through the driver."""
    store = open_store(f"sqlite:///{folder / 'ours.db'}")
    open_store(f"sqlite:///{folder / 'driver.db'}").close()
    connection = sqlite3.connect(folder / "driver.db", isolation_level=None)
    connection.execute("PRAGMA synchronous=FULL")
    yield ours(store), drivers(connection, is_sqlite=True)
    connection.close()
    store.close()


@contextlib.contextmanager
def postgres_pair(url: str) -> Iterator[tuple[Write, Write]]:
    """Open one schema through the store, and one of the same layout through the driver."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA ours")
        connection.execute("CREATE SCHEMA driver")
    store = open_store(f"{url}&options=-csearch_path%3Dours")
    open_store(f"{url}&options=-csearch_path%3Ddriver").close()
    with psycopg.connect(url, options="-csearch_path=driver") as connection:
        yield ours(store), drivers(connection, is_sqlite=False)
    store.close()


def week(folder: Path, days: float, rounds: int) -> Figure:
    """Ask for the rolling seven days by policy and site, at odd nanoseconds, over a million outcomes."""
    store = open_store(f"sqlite:///{folder / f'week-{days}.db'}")
    step = int(days * NS_PER_DAY) // MILLION
    for start in range(0, MILLION, 20_000):
        chunk = [outcome(n, START_NS + n * step) for n in range(start, start + 20_000)]
        store.append(chunk, actor="bench", at_ns=START_NS)
    store.compute_success_rates(0, 1)  # loads what is loaded once
    times = []
    for turn in range(rounds):
        end = START_NS + int(days * NS_PER_DAY) - turn * 1_234_567_891
        begin = time.perf_counter()
        found = store.compute_success_rates(end - 7 * NS_PER_DAY, end)
        times.append((time.perf_counter() - begin) * 1000)
        assert len(found) == len(POLICIES) * 5
    store.close()
    return summarise(times, "ms", "< 50")


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Measure appends on both databases, then the rolling week."""
    rounds, singles, batches = (7, 150, 5) if short else (15, 500, 20)
    figures: dict[str, Figure | Skipped] = {}
    with tempfile.TemporaryDirectory(prefix="bench-store-") as name:
        folder = Path(name)
        with sqlite_pair(folder) as (us, them):
            figures |= compare("sqlite", us, them, rounds, singles, batches)
        try:
            with run_postgres() as url, postgres_pair(url) as (us, them):
                figures |= compare("postgres", us, them, rounds, singles, batches)
        except Unavailable as reason:
            figures["postgres"] = Skipped(str(reason))
        figures["rolling_week_ms"] = week(folder, 90, 50)
        if not short:
            figures["rolling_week_dense_ms"] = week(folder, 7, 50)
    return figures


if __name__ == "__main__":
    main(measure)
