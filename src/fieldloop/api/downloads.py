"""Downloads: a use case that only reads and writes files answers with these files, and nothing stays on the server."""

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from fieldloop.api.outbox import OUTBOX, move_into_outbox
from fieldloop.errors import BadInput
from fieldloop.loop.catalogue import UseCase

TYPES = {
    ".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".json": "application/json",
    ".md": "text/markdown; charset=utf-8", ".zip": "application/zip",
}  # fmt: skip
ANY_TYPE = "application/octet-stream"


def is_download_allowed(use_case: UseCase) -> bool:
    """Does a use case change nothing but the files that it writes?"""
    return use_case.reads and bool(use_case.writes)


def answer_with_files(use_case: UseCase, values: dict[str, Any], call: Callable[[dict[str, Any]], Any]) -> Response:
    """Call a use case in a folder of its own; return the file it wrote, or what it wrote as a zip."""
    if not any(values.get(name) for name in use_case.writes):
        raise BadInput(f"Name the file to download in {' or '.join(use_case.writes)}, such as report.html.")
    folder = TemporaryDirectory()
    try:
        root = Path(folder.name)
        call(move_into_outbox(root, use_case, values))
        made = sorted(path for path in (root / OUTBOX).rglob("*") if path.is_file())
        file = _choose_file(root / OUTBOX, made, root)
    except BaseException:
        folder.cleanup()
        raise
    type_ = TYPES.get(file.suffix, ANY_TYPE)
    once = {"Cache-Control": "no-store"}
    return FileResponse(
        file, media_type=type_, headers=once, filename=_make_plain(file.name), background=BackgroundTask(folder.cleanup)
    )


def _choose_file(outbox: Path, files: Sequence[Path], beside: Path) -> Path:
    """Return one file as it is; several, or one in a folder, as a zip that is named like their folder."""
    if not files:
        raise BadInput("Nothing was written, so there is nothing to download.")
    if len(files) == 1 and files[0].parent == outbox:
        return files[0]
    first = next(iter(sorted(outbox.iterdir())))
    packed = beside / f"{first.name}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(outbox))
    return packed


def _make_plain(name: str) -> str:
    """Keep what every browser accepts in a file name.

    >>> _make_plain('ag"ree ä.html')
    'ag_ree__.html'
    """
    return "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name)
