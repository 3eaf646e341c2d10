"""Routes of the player: the view of an episode, and the bytes behind it. Only files of the opened set are given out."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from fieldloop.errors import StoreError, UnreadableLog
from fieldloop.loop.look.opened import OpenedEpisode
from fieldloop.loop.look.view import EpisodeView

GetEpisode = Callable[[Request, str], OpenedEpisode]
ShowTo = Callable[[Request, EpisodeView], EpisodeView]
NO_STORE = {"Cache-Control": "no-store"}
PLAIN = {**NO_STORE, "Content-Encoding": "identity"}
"""What is compressed already is not compressed again."""
RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")
PIECE, MOST_AT_ONCE = 1 << 20, 4 << 20
OK, PARTIAL, NO_FRAME, NO_RANGE = 200, 206, 422, 416
BASE = "/api/look/{key}"
CANNOT_OPEN = "look-cannot-open/1"
"""The answer's schema where no view can be drawn: which log is gone, and why."""


def add_media_routes(app: FastAPI, get_episode: GetEpisode, show_to: ShowTo = lambda _, view: view) -> None:
    """Add the routes; `get_episode` refuses those who may not look, and any key that is not of the set.

    `show_to` leaves out what the one who asks may not see.
    """

    @app.get(BASE + "/view", include_in_schema=False)
    def show_view(request: Request, key: str) -> Response:
        """A log that is gone is an answer, too: the page states it and goes on."""
        try:
            view = show_to(request, get_episode(request, key).make_view()).json_object()
        except (StoreError, UnreadableLog) as gone:
            view = {"schema": CANNOT_OPEN, "key": key, "cannot_open": str(gone)}
        return JSONResponse(view, headers=NO_STORE)

    @app.get(BASE + "/checked", include_in_schema=False)
    def check_now(request: Request, key: str) -> Response:
        view = show_to(request, get_episode(request, key).check_now())
        return JSONResponse(view.json_object(), headers=NO_STORE)

    @app.get(BASE + "/cameras/{number:int}", include_in_schema=False)
    def show_frame_index(request: Request, key: str, number: int) -> Response:
        return JSONResponse(_build_index(get_episode(request, key), number), headers=NO_STORE)

    @app.get(BASE + "/cameras/{number:int}/video", include_in_schema=False)
    def send_video(request: Request, key: str, number: int) -> Response:
        return send_file_range(get_episode(request, key).get_video_file(number), request.headers.get("range", ""))

    @app.get(BASE + "/cameras/{number:int}/frames/{frame:int}", include_in_schema=False)
    def send_picture(request: Request, key: str, number: int, frame: int) -> Response:
        picture = get_episode(request, key).read_picture(number, frame)
        if not picture.data:
            return JSONResponse({"detail": f"Frame {frame} does not decode."}, NO_FRAME, headers=NO_STORE)
        return Response(picture.data, media_type=picture.kind, headers=PLAIN)

    @app.get(BASE + "/signals/{number:int}", include_in_schema=False)
    def send_signal(request: Request, key: str, number: int) -> Response:
        times, values = get_episode(request, key).read_signal(number)
        body = b"".join((times.astype("<f8").tobytes(), values.astype("<f4").tobytes()))
        return Response(body, media_type="application/octet-stream", headers=PLAIN)


def _build_index(episode: OpenedEpisode, number: int) -> dict[str, Any]:
    """When each frame of a camera lies; and of a video that can be decoded in the browser, every packet."""
    import base64

    times = np.round(episode.get_camera_times(number), 6).tolist()
    try:
        span = episode.list_packets(number)
    except (ValueError, OSError):
        return {"times_s": times}
    packets = {
        "codec": span.config.codec,
        "description": base64.b64encode(span.config.description).decode(),
        "positions": span.positions.tolist(),
        "sizes": span.sizes.tolist(),
        "shown": span.shown.tolist(),
        "keys": np.flatnonzero(span.keys).tolist(),
    }
    return {"times_s": times, "packets": packets}


def send_file_range(path: Path, header: str) -> Response:
    """Send a file, or the part of it that the Range header asks for."""
    size = path.stat().st_size
    asked = RANGE.fullmatch(header)
    start = int(asked[1]) if asked else 0
    stop = min(int(asked[2]) + 1, size) if asked and asked[2] else size
    if start >= max(stop, 1):
        return Response(status_code=NO_RANGE, headers={**PLAIN, "Content-Range": f"bytes */{size}"})
    headers = {**PLAIN, "Accept-Ranges": "bytes", "Content-Length": str(stop - start)}
    if asked:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    status, kind = PARTIAL if asked else OK, "application/octet-stream"
    pieces = _read_pieces(path, start, stop)
    if stop - start <= MOST_AT_ONCE:
        return Response(b"".join(pieces), status, headers, kind)
    return StreamingResponse(pieces, status, headers, kind)


def _read_pieces(path: Path, start: int, stop: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        while start < stop:
            piece = file.read(min(PIECE, stop - start))
            if not piece:
                return
            start += len(piece)
            yield piece
