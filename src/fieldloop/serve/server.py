"""A policy on a port: HTTP for people and probes, a WebSocket for robots that already speak openpi's framing.

One bad request gets an error answer; the connection and the server go on. Inference runs in a thread of its own, so
that /livez answers while the policy thinks. No login is required: listen on loopback or a robot's own network only.
"""

import json
import socket
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from fieldloop.errors import BadInput
from fieldloop.model.codec import format_iso_time, to_plain
from fieldloop.model.identity import Clock
from fieldloop.protocol import Section
from fieldloop.serve.desk import Busy, Desk, PolicyFault
from fieldloop.serve.engine import Engine, Health
from fieldloop_robot import wire

JSON, MSGPACK, PROBLEM = "application/json", "application/msgpack", "application/problem+json"
RESULTS: Mapping[type[Exception], tuple[str, HTTPStatus]] = {
    BadInput: ("refused", HTTPStatus.UNPROCESSABLE_ENTITY),
    wire.WireError: ("refused", HTTPStatus.BAD_REQUEST),
    Busy: ("busy", HTTPStatus.SERVICE_UNAVAILABLE),
    PolicyFault: ("failed", HTTPStatus.INTERNAL_SERVER_ERROR),
}


def make_app(engine: Engine, settings: Section, clock: Clock = time.time_ns) -> FastAPI:
    """Make the application that serves one policy; settings are the section `serve` of the operations."""
    desk = Desk(engine, settings, clock)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await desk.check_health()  # the first inference allocates; no robot should wait for it
        yield
        desk.close()

    served = FastAPI(title="fieldloop policy server", lifespan=lifespan)
    _add_health_routes(served, desk)
    _add_http_route(served, desk, int(settings.number("max_request_mb") * (1 << 20)))
    _add_socket_route(served, desk)
    return served


def run_server(app: FastAPI, host: str, port: int, settings: Section) -> None:
    """Serve until interrupted; a port already in use is refused."""
    import uvicorn

    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
    except (OSError, OverflowError) as wrong:
        opened.close()
        raise BadInput(f"Cannot listen on {host} port {port}: {wrong}. Choose another with --port.") from wrong
    uvicorn.Server(make_server_config(app, host, port, settings)).run(sockets=[opened])


def make_server_config(app: FastAPI, host: str, port: int, settings: Section) -> Any:
    """Return how the port is opened: messages bounded and uncompressed, as robots send pictures."""
    import uvicorn

    return uvicorn.Config(
        app, host=host, port=port, log_level="warning", ws="websockets-sansio",
        ws_max_size=int(settings.number("max_request_mb") * (1 << 20)), ws_per_message_deflate=False,
    )  # fmt: skip


def _add_health_routes(app: FastAPI, desk: Desk) -> None:
    @app.get("/livez", response_class=PlainTextResponse)
    async def livez() -> str:
        """Report that the process answers; the policy is not asked."""
        return "alive\n"

    @app.get("/readyz", response_class=PlainTextResponse)
    async def readyz() -> PlainTextResponse:
        """Report whether the policy has answered a dummy inference."""
        ready = bool(desk.healthy)
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return PlainTextResponse("ready\n" if ready else "not ready\n", status)

    @app.get("/health")
    async def health() -> JSONResponse:
        """Run a dummy inference and return its latency, beside the percentiles of real calls."""
        found = await desk.check_health()
        status = HTTPStatus.OK if desk.healthy else HTTPStatus.SERVICE_UNAVAILABLE
        return JSONResponse(_build_health_json(found, desk), status)

    @app.get("/metadata")
    async def metadata() -> dict[str, Any]:
        """Return the policy's id, inputs and outputs."""
        return desk.engine.bundle.metadata

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> str:
        """Return counters and latencies for a scraper."""
        return desk.metrics.write_metrics_text(desk.engine.bundle.policy, healthy=desk.healthy)


def _add_http_route(app: FastAPI, desk: Desk, max_bytes: int) -> None:
    @app.post("/act")
    async def act(request: Request) -> Response:
        """Answer one observation, sent as msgpack or JSON: stream name → array."""
        speaks_json = request.headers.get("content-type", "").startswith(JSON)
        try:
            body = await _read_request_body(request, max_bytes)
            reply = await _answer_message(
                desk, "http", _parse_json_message(body) if speaks_json else wire.unpack(body, max_bytes)
            )
        except tuple(RESULTS) as wrong:
            return _make_problem_response(desk, "http", wrong)
        if speaks_json:
            return JSONResponse(to_plain(reply))
        return Response(wire.pack(reply), media_type=MSGPACK)


def _add_socket_route(app: FastAPI, desk: Desk) -> None:
    @app.websocket("/ws")
    @app.websocket("/")  # where openpi's clients knock
    async def handle_socket(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_bytes(wire.pack(desk.engine.bundle.metadata))
        try:
            while True:
                await _serve_socket_message(socket, desk)
        except WebSocketDisconnect:
            return


async def _serve_socket_message(socket: WebSocket, desk: Desk) -> None:
    frame = await socket.receive()
    if frame["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(frame.get("code", 1000))
    try:
        if frame.get("bytes") is None:
            raise BadInput("Send an observation as msgpack bytes, not as text.")
        reply = await _answer_message(desk, "ws", wire.unpack(frame["bytes"]))
    except tuple(RESULTS) as wrong:
        desk.metrics.count_request("ws", _classify_error(wrong)[0])
        await socket.send_text(str(wrong))  # clients take a text frame for an error
        return
    await socket.send_bytes(wire.pack(reply))


async def _answer_message(desk: Desk, door: str, message: Mapping[str, Any]) -> dict[str, Any]:
    try:
        reply = await desk.answer_observation(message)
    except tuple(RESULTS):
        raise
    except Exception as wrong:  # third-party runtime: its failure must not stop the server
        raise PolicyFault(f"The policy raised an error: {type(wrong).__name__}.") from wrong
    desk.metrics.count_request(door, "answered")
    return reply


async def _read_request_body(request: Request, max_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise wire.WireError(f"The request has more than {max_bytes} bytes.")
    return bytes(body)


def _parse_json_message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as wrong:
        raise BadInput(f"The request is not valid JSON: {wrong}.") from wrong
    if not isinstance(message, dict):
        raise BadInput(f"The request is a JSON {type(message).__name__}, not an object of stream name → array.")
    return message


def _make_problem_response(desk: Desk, door: str, error: Exception) -> JSONResponse:
    result, status = _classify_error(error)
    desk.metrics.count_request(door, result)
    body = {"title": type(error).__name__, "status": int(status), "detail": str(error)}
    return JSONResponse(body, status, media_type=PROBLEM)


def _classify_error(error: Exception) -> tuple[str, HTTPStatus]:
    return next(result for kind, result in RESULTS.items() if isinstance(error, kind))


def _build_health_json(health: Health, desk: Desk) -> dict[str, Any]:
    return {
        "schema": "health/1",
        "status": health.status.value,
        "latency_ms": health.latency_ms,
        "checked_at": format_iso_time(health.at_ns),
        "message": health.message,
        "policy": desk.engine.bundle.policy,
        "real_calls": desk.metrics.summarise_recent_calls(),
    }
