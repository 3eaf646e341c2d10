"""Nouns in and out of their tables, on one connection: what projections write with and `find` reads with."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import ARRAY, Column, ColumnElement, Connection, Insert, any_, bindparam, delete, func, select, update

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.codec import from_plain
from fieldloop.store.database import bare
from fieldloop.store.outcomes import Row, noun_of, written
from fieldloop.store.rates import add_to_hours
from fieldloop.store.statements import Statements, upsert
from fieldloop.store.tables import Kept, cell, kept_as, outcomes

N = TypeVar("N")
SEQ = list(outcomes.c.keys()).index("seq")


class Tables:
    """The rebuildable tables as one connection sees them."""

    def __init__(self, connection: Connection, statements: Statements) -> None:
        """Borrow a connection; whoever lent it commits."""
        self._connection, self._statements = connection, statements
        self._is_sqlite = connection.dialect.name == "sqlite"

    def put(self, noun: Any, seq: int, place: int = 0, **given: Any) -> None:
        """Write a noun's row, or overwrite the one with the same key; columns it does not speak of stay."""
        kept = kept_as(type(noun))
        row = kept.cells(noun, given) | {"seq": seq, "place": place, "body": written(noun)}
        self._connection.execute(_upsert(kept, tuple(row), is_sqlite=self._is_sqlite), row)

    def set(self, noun: type, where: Mapping[str, Any], **values: Any) -> None:
        """Change columns that are not part of the noun itself."""
        kept = kept_as(noun)
        changed = {name: cell(value) for name, value in values.items()}
        self._connection.execute(update(kept.table).where(*self._criteria(kept, where)).values(changed))

    def drop(self, noun: type, where: Mapping[str, Any]) -> None:
        """Remove rows."""
        kept = kept_as(noun)
        self._connection.execute(delete(kept.table).where(*self._criteria(kept, where)))

    def put_outcomes(self, rows: Sequence[Row]) -> None:
        """Write outcomes and their sums by hour; one that is judged again replaces what was said before."""
        done = bare(self._connection)
        done.executemany(self._statements.add_outcomes, rows)
        fresh = list(rows) if done.rowcount == len(rows) else [row for row in rows if self._is_new(row)]
        add_to_hours(self._connection, self._statements, fresh)

    def find(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[N]:
        """Return nouns in the order of the events that stated them, filtered by key columns."""
        return [found for found, _ in self.find_with_place(noun, where, newest=newest, limit=limit)]

    def find_with_place(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[tuple[N, int]]:
        """Return nouns with the sequence number of the event that stated each last."""
        kept = kept_as(noun)
        columns = (kept.table.c.body, kept.table.c.seq) if kept.has_body else tuple(kept.table.c)
        order = (kept.table.c.seq, kept.table.c.place) if kept.has_body else (kept.table.c.seq,)
        query = select(*columns).where(*self._criteria(kept, where)).limit(limit)
        query = query.order_by(*(each.desc() if newest else each for each in order))
        found = self._connection.execute(query)
        if kept.has_body:
            return [(from_plain(noun, json.loads(body)), seq) for body, seq in found]
        return [(noun_of(list(row)), row[SEQ]) for row in found]  # type: ignore[misc]  # only Outcome has no body

    def get(self, noun: type[N], id_or_prefix: str) -> N:
        """Return the one noun with this id, or whose id begins so."""
        kept, name = kept_as(noun), re.sub(r"(?<=[a-z])(?=[A-Z])", " ", noun.__name__).lower()
        if len(kept.key) != 1 or kept.key == ("seq",):
            raise BadInput(f"{noun.__name__} has no id of its own. Find it by {', '.join(kept.columns)}.")
        column = kept.table.c[kept.key[0]]
        begin = cell(id_or_prefix)
        query = select(column).where(column >= begin, column < begin + "\U0010ffff").order_by(column).limit(3)
        ids = list(self._connection.scalars(query)) if begin else []
        if not ids:
            known = self._connection.scalars(select(column).order_by(kept.table.c.seq.desc()).limit(200))
            raise UnknownName(name, id_or_prefix, [each[: max(len(begin), 1)] for each in known])
        if len(ids) > 1 and ids[0] != begin:
            listed = ", ".join(repr(each) for each in ids[:2]) + (" …" if len(ids) > 2 else "")  # noqa: PLR2004 - two are shown
            raise BadInput(f"{id_or_prefix!r} is the beginning of more than one {name}: {listed}. Give more of it.")
        return self.find(noun, {kept.key[0]: ids[0]})[0]

    def count(self, noun: type, where: Mapping[str, Any] | None = None) -> int:
        """Count rows of a noun's table."""
        kept = kept_as(noun)
        query = select(func.count()).select_from(kept.table).where(*self._criteria(kept, where))
        return self._connection.scalar(query) or 0

    def _is_new(self, row: Row) -> bool:
        """Was this row just inserted? If its id was there before, put it in the old row's place."""
        kept = outcomes.c
        old = list(self._connection.execute(select(outcomes).where(kept.id == row[0])).one())
        if old[SEQ] == row[SEQ]:
            return True
        add_to_hours(self._connection, self._statements, [old], sign=-1)
        self._connection.execute(
            update(outcomes).where(kept.id == row[0]).values(dict(zip(kept.keys(), row, strict=True)))
        )
        add_to_hours(self._connection, self._statements, [row])
        return False

    def _criteria(self, kept: Kept, where: Mapping[str, Any] | None) -> list[ColumnElement[bool]]:
        asked = where or {}
        for name in asked:
            if name not in kept.columns:
                raise UnknownName(f"column of {kept.noun.__name__}", name, kept.columns)
        return [self._criterion(kept.table.c[name], value) for name, value in asked.items()]

    def _criterion(self, column: Column[Any], value: Any) -> ColumnElement[bool]:
        if value is None:
            return column.is_(None)
        if isinstance(value, range):
            return (column >= value.start) & (column < value.stop)
        if isinstance(value, list | tuple | set | frozenset):
            cells = [cell(each) for each in value]
            if self._is_sqlite:  # one parameter however long the list is
                return column.in_(select(func.json_each(json.dumps(cells)).table_valued("value").c.value))
            return column == any_(bindparam(None, cells, ARRAY(column.type)))
        equal: ColumnElement[bool] = column == cell(value)
        return equal


@functools.cache
def _upsert(kept: Kept, columns: tuple[str, ...], *, is_sqlite: bool) -> Insert:
    return upsert(kept.table, kept.key, columns, is_sqlite=is_sqlite)
