"""Every backend obeys the same laws: SQLite in memory and on disk, PostgreSQL; folder, memory and S3."""

import pytest

from fieldloop.store import open_shelf, open_store
from fieldloop.testing.shelf import SHELF_LAWS, check_shelf
from fieldloop.testing.store import JOB_LAWS, STORE_LAWS, VIEW_LAWS, check_store


@pytest.mark.parametrize("law", [*STORE_LAWS, *VIEW_LAWS, *JOB_LAWS], ids=lambda law: law.__name__)
def test_store(law, store):
    law(store)


@pytest.mark.parametrize("law", SHELF_LAWS, ids=lambda law: law.__name__)
def test_shelf(law, shelf, tmp_path):
    law(shelf, tmp_path)


def test_plug_in_authors_run_all_laws_by_one_call(tmp_path):
    check_store(lambda: open_store("sqlite://"))
    check_shelf(lambda: open_shelf("memory://"), tmp_path)
