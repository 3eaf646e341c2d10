"""Timed and background jobs in one table: one per name and time, claimed by lease."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, update

from fieldloop.model.stream import NS_PER_S
from fieldloop.store.contract import Job
from fieldloop.store.database import Database
from fieldloop.store.statements import build_insert
from fieldloop.store.tables import jobs


class SqlJobs:
    """Jobs in the store's database; many processes may claim concurrently."""

    def __init__(self, database: Database) -> None:
        """Share the store's database."""
        self._database = database

    def schedule(self, name: str, due_ns: int, body: Mapping[str, Any] | None = None) -> bool:
        """Schedule a job; False if a job of that name is already scheduled for that time."""
        row = {
            "name": name,
            "due_ns": due_ns,
            "body": json.dumps(dict(body or {}), allow_nan=False),
            "attempt": 0,
            "lease_until_ns": due_ns,
            "error": "",
        }
        with self._database.open_for_writing() as connection:
            insert = build_insert(jobs, is_sqlite=self._database.is_sqlite).values(row)
            return connection.execute(insert.on_conflict_do_nothing().returning(jobs.c.name)).first() is not None

    def claim(self, worker: str, at_ns: int, lease_s: float) -> Job | None:
        """Claim the job that has been due longest and has no valid lease; an expired lease is lost."""
        free = (
            select(jobs)
            .where(jobs.c.finished_ns.is_(None), jobs.c.due_ns <= at_ns, jobs.c.lease_until_ns <= at_ns)
            .order_by(jobs.c.due_ns, jobs.c.name)
            .limit(1)
            .with_for_update(skip_locked=True)  # SQLite ignores it, having a single writer
        )
        with self._database.open_for_writing() as connection:
            row = connection.execute(free).first()
            if row is None:
                return None
            job = Job(row.name, row.due_ns, json.loads(row.body), worker, row.attempt + 1, row.error)
            taken = {"worker": worker, "attempt": job.attempt, "lease_until_ns": at_ns + round(lease_s * NS_PER_S)}
            connection.execute(update(jobs).where(jobs.c.name == job.name, jobs.c.due_ns == job.due_ns).values(taken))
        return job

    def extend(self, job: Job, at_ns: int, lease_s: float) -> bool:
        """Extend the lease of a claimed job; False if the lease was lost."""
        return self._change(job, lease_until_ns=at_ns + round(lease_s * NS_PER_S))

    def mark_done(self, job: Job, at_ns: int) -> bool:
        """Finish a claimed job; False if another worker has claimed it meanwhile."""
        return self._change(job, finished_ns=at_ns, error="")

    def fail(self, job: Job, at_ns: int, error: str, retry_ns: int | None = None) -> bool:
        """Record why a claimed job failed, finally or until a retry; False if the lease was lost."""
        if retry_ns is None:
            return self._change(job, finished_ns=at_ns, error=error)
        return self._change(job, worker=None, lease_until_ns=retry_ns, error=error)

    def open(self, at_ns: int | None = None) -> list[Job]:
        """Return unfinished jobs, first due first; with `at_ns`, only jobs due by then."""
        query = select(jobs).where(jobs.c.finished_ns.is_(None)).order_by(jobs.c.due_ns, jobs.c.name)
        if at_ns is not None:
            query = query.where(jobs.c.due_ns <= at_ns)
        with self._database.open_for_reading() as connection:
            rows = connection.execute(query).all()
        return [Job(r.name, r.due_ns, json.loads(r.body), r.worker or "", r.attempt, r.error) for r in rows]

    def _change(self, job: Job, **values: Any) -> bool:
        """Update a job if this worker still holds its lease; the attempt number identifies the lease."""
        mine = (
            jobs.c.name == job.name,
            jobs.c.due_ns == job.due_ns,
            jobs.c.worker == job.worker,
            jobs.c.attempt == job.attempt,
            jobs.c.finished_ns.is_(None),
        )
        with self._database.open_for_writing() as connection:
            return connection.execute(update(jobs).where(*mine).values(values)).rowcount == 1
