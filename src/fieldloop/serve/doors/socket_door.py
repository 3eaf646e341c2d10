"""Robots over WebSocket, in openpi's framing: metadata first, then one answer for each observation, in order.

A text frame is a refusal; the socket stays open. Reading goes on while the policy thinks, so that a newer observation
replaces one that still waits, and pings are answered.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from starlette.responses import PlainTextResponse

from fieldloop.errors import BadInput, FieldloopError
from fieldloop.serve.desk import Desk, Ticket
from fieldloop.serve.doors.parts import House, get_client_label
from fieldloop.serve.message import has_observation, read_header
from fieldloop.serve.refusals import REASONS, classify_refusal
from fieldloop.serve.versions import Seat
from fieldloop_robot import wire

MOST_UNANSWERED = 16
"""Observations that one socket may send before it reads an answer; after these, the server reads on when it does."""

Started = tuple[Desk, Ticket | bytes | Exception]
"""A request that was started: whose it is, and its ticket, its ready answer, or why it was refused."""


def add_socket_routes(app: FastAPI, house: House) -> None:
    """Add the sockets: `/` and `/ws` follow the version in force, `/v1/policies/NAME` stays with the one it names."""

    @app.websocket("/v1/policies/{name}")
    @app.websocket("/ws")
    @app.websocket("/")  # where openpi's clients knock
    async def handle_socket(socket: WebSocket) -> None:
        try:
            await house.identify_sender(socket.scope)
            seat = Seat(house.roster, get_client_label(socket.scope), socket.path_params.get("name", ""))
        except FieldloopError as wrong:
            known = isinstance(wrong, REASONS)
            status = classify_refusal(wrong)[1] if known else 400
            await socket.send_denial_response(PlainTextResponse(f"{wrong}\n", status))
            return
        await socket.accept()
        await socket.send_bytes(wire.pack(seat.version.describe()))
        await _serve_socket(socket, seat, house)


async def _serve_socket(socket: WebSocket, seat: Seat, house: House) -> None:
    started: asyncio.Queue[Started] = asyncio.Queue(MOST_UNANSWERED)
    token = _TokenCheck(socket, house)
    writer = asyncio.create_task(_write_answers(socket, started))
    try:
        while True:
            frame = await socket.receive()
            if frame["type"] == "websocket.disconnect" or writer.done():
                return
            refused = await token.check_again()
            await started.put((seat.version.desk, refused) if refused else _start_request(frame, seat))
    finally:
        writer.cancel()
        seat.close()


class _TokenCheck:
    """Looks a socket's token up again now and then, so that one that was revoked ends here too."""

    def __init__(self, socket: WebSocket, house: House) -> None:
        self._scope, self._house = socket.scope, house
        self._keep_s = house.settings.number("token_cache_s")
        self._checked = time.monotonic() if "authorization" in socket.headers else float("inf")

    async def check_again(self) -> Exception | None:
        """Return why this sender is refused now; None where it is not."""
        if time.monotonic() - self._checked < self._keep_s:
            return None
        try:
            await self._house.identify_sender(self._scope)
        except REASONS as refused:
            return refused
        self._checked = time.monotonic()
        return None


def _start_request(frame: Mapping[str, Any], seat: Seat) -> Started:
    version = seat.version
    try:
        if frame.get("bytes") is None:
            raise BadInput("Send an observation as msgpack bytes, not as text.")  # noqa: TRY301 - one place for all refusals
        message = wire.unpack(frame["bytes"])
        header = read_header(message)
        version, begins = seat.take(header)
        robot = header.robot or seat.robot or seat.label
        if header.resets and not has_observation(message):
            version.desk.note_episode(robot, header.episode)
            return version.desk, wire.pack({**version.describe(), "reset": True})
        return version.desk, version.desk.submit_message(message, header, robot, begins=begins)
    except Exception as wrong:  # noqa: BLE001 - a bad request gets an answer; the socket and the server go on
        return version.desk, wrong


async def _write_answers(socket: WebSocket, started: "asyncio.Queue[Started]") -> None:
    try:
        while True:
            await _write_answer(socket, *await started.get())
    except WebSocketDisconnect:
        return
    finally:
        while not started.empty():  # the reader must not wait for room that nothing makes
            started.get_nowait()


async def _write_answer(socket: WebSocket, desk: Desk, request: Ticket | bytes | Exception) -> None:
    try:
        if isinstance(request, Exception):
            raise request  # noqa: TRY301 - one place for all refusals
        if isinstance(request, Ticket):
            data = wire.pack(desk.write_reply(request, await request.future))
            desk.metrics.count_request("ws", "answered")
        else:
            data = request
        await socket.send_bytes(data)
    except WebSocketDisconnect:
        raise
    except Exception as wrong:  # noqa: BLE001 - any failure becomes a text frame
        await _send_refusal(socket, desk, wrong)


async def _send_refusal(socket: WebSocket, desk: Desk, error: Exception) -> None:
    known = isinstance(error, REASONS)
    desk.metrics.count_request("ws", classify_refusal(error)[0] if known else "failed")
    text = str(error) if known else f"The server failed: {type(error).__name__}."
    await socket.send_text(text)  # clients take a text frame for an error
