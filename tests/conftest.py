"""Real servers for every test that asks: absent means skipped with the reason, but in CI it means failed."""

import itertools
import os

import pytest
from hypothesis import settings

from fieldloop.store import open_shelf, open_store
from fieldloop.testing import servers

SCHEMAS = itertools.count()

# no timed assertions, and a test that fails now and then is a defect: examples are the same on every run
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def postgres_server():
    try:
        with servers.run_postgres(durable=False) as url:
            yield url
    except servers.Unavailable as reason:
        servers.skip_or_fail(reason)


@pytest.fixture
def postgres_url(postgres_server):
    """A PostgreSQL database of the test's own: a schema that nothing else uses."""
    import psycopg

    schema = f"test_{os.getpid()}_{next(SCHEMAS)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres_server}&options=-csearch_path%3D{schema}"


@pytest.fixture(scope="session")
def s3_options():
    """What `open_shelf` needs to reach the S3 server; its bucket is `servers.BUCKET`."""
    try:
        with servers.run_s3_server() as options:
            yield options
    except servers.Unavailable as reason:
        servers.skip_or_fail(reason)


@pytest.fixture
def s3_url():
    """A place in the bucket that nothing else uses."""
    return f"s3://{servers.BUCKET}/test-{os.getpid()}-{next(SCHEMAS)}"


@pytest.fixture(scope="session")
def chromium_path():
    try:
        return servers.find_chromium()
    except servers.Unavailable as reason:
        servers.skip_or_fail(reason)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store_url(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return "sqlite://" if request.param == "memory" else f"sqlite:///{tmp_path / 'ledger.db'}"


@pytest.fixture
def store(store_url):
    opened = open_store(store_url)
    yield opened
    opened.close()


@pytest.fixture(params=["folder", "memory", "s3"])
def shelf(request, tmp_path):
    if request.param == "s3":
        return open_shelf(request.getfixturevalue("s3_url"), **request.getfixturevalue("s3_options"))
    return open_shelf("memory://" if request.param == "memory" else tmp_path / "shelf")
