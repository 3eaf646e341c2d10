"""Downloads: a use case that only reads and writes files answers with these files, and nothing stays on the server."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi.responses import Response

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
    with TemporaryDirectory() as folder:
        root = Path(folder)
        call(move_into_outbox(root, use_case, values))
        made = sorted(path for path in (root / OUTBOX).rglob("*") if path.is_file())
        name, body = _pack(root / OUTBOX, made)
    how = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(body, media_type=TYPES.get(Path(name).suffix, ANY_TYPE), headers=how)


def _pack(folder: Path, files: list[Path]) -> tuple[str, bytes]:
    """Return one file as it is, and several, or one in a folder, as a zip named like their folder."""
    if len(files) == 1 and files[0].parent == folder:
        return _make_plain(files[0].name), files[0].read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(folder))
    first = next(iter(sorted(folder.iterdir())), folder)
    return f"{_make_plain(first.name)}.zip", packed.getvalue()


def _make_plain(name: str) -> str:
    """Keep what every browser accepts in a file name.

    >>> _make_plain('ag"ree ä.html')
    'ag_ree__.html'
    """
    return "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name)
