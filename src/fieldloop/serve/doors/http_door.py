"""Robots and people over HTTP: one observation per request, probes, metadata and metrics."""

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from fieldloop.errors import BadInput
from fieldloop.model.codec import format_iso_time, to_plain
from fieldloop.serve.doors.parts import House, get_client_label, make_problem_response
from fieldloop.serve.engine import RememberingEngine
from fieldloop.serve.message import Header, has_observation, read_header
from fieldloop.serve.metrics import write_metrics
from fieldloop.serve.refusals import REASONS, PolicyFault, Stalled, TooLarge, classify_refusal
from fieldloop.serve.versions import Version
from fieldloop_robot import wire

JSON, MSGPACK = "application/json", "application/msgpack"


def add_act_routes(app: FastAPI, house: House) -> None:
    """Add the routes that answer observations and begin episodes."""

    @app.post("/act")
    @app.post("/v1/policies/{name}/act")
    async def act(request: Request) -> Response:
        """Answer one observation, sent as msgpack or JSON: stream name → array."""
        speaks_json = request.headers.get("content-type", "").startswith(JSON)
        name, counted = request.path_params.get("name", ""), None
        try:
            await house.identify_sender(request.scope)
            counted = house.roster.find(name) if name else house.roster.in_force
            body = await read_body(request, house)
            message = parse_json_object(body) if speaks_json else wire.unpack(body, house.max_bytes)
            reply = await answer_message(house, message, get_client_label(request.scope), name)
        except REASONS as wrong:
            if counted is not None:
                counted.desk.metrics.count_request("http", classify_refusal(wrong)[0])
            return make_problem_response(wrong)
        if speaks_json:
            return JSONResponse(to_plain(reply))
        return Response(wire.pack(reply), media_type=MSGPACK)

    @app.post("/reset")
    @app.post("/v1/policies/{name}/reset")
    async def reset(request: Request) -> Response:
        """Begin an episode of a robot: {"robot": …, "episode": …}; the answer describes the version it will have."""
        try:
            await house.identify_sender(request.scope)
            message = parse_json_object(await read_body(request, house))
            if not message.get("robot"):
                raise BadInput('A reset needs to state its robot: {"robot": "arm-3"}.')
            header = read_header({**message, "reset": True})
            seat = house.take_seat(header, header.robot, request.path_params.get("name", ""))
            version, _ = seat.take(header)
            version.desk.note_episode(header.robot, header.episode)
        except REASONS as wrong:
            return make_problem_response(wrong)
        return JSONResponse({**version.describe(), "reset": True})


async def answer_message(
    house: House, message: Mapping[str, Any], label: str, name: str = "", door: str = "http"
) -> dict[str, Any]:
    """Answer one observation of a robot that keeps no connection."""
    header = read_header(message)
    seat = house.take_seat(header, label, name)
    try:
        version, begins = seat.take(header)
        _refuse_nameless_robot(version, header)
        if header.resets and not has_observation(message):
            version.desk.note_episode(header.robot or label, header.episode)
            return {**version.describe(), "reset": True}
        ticket = version.desk.submit_message(message, header, header.robot or label, begins=begins)
        reply = version.desk.write_reply(ticket, await ticket.future)
        version.desk.metrics.count_request(door, "answered")
    except REASONS:
        raise
    except Exception as wrong:
        raise PolicyFault(f"The server failed: {type(wrong).__name__}.") from wrong
    else:
        return reply
    finally:
        if not header.robot:
            seat.close()


def _refuse_nameless_robot(version: Version, header: Header) -> None:
    if isinstance(version.desk.engine, RememberingEngine) and not header.robot:
        raise BadInput("This policy remembers its episode. State robot and episode in every request.")


def add_probe_routes(app: FastAPI, house: House) -> None:
    """Add the routes that say how the server is."""

    @app.get("/livez", response_class=PlainTextResponse)
    async def livez() -> str:
        """Report that the process answers; the policy is not asked."""
        return "alive\n"

    @app.get("/healthz", response_class=PlainTextResponse)
    async def healthz() -> str:
        """Answer as openpi's server does."""
        return "OK\n"

    @app.get("/readyz", response_class=PlainTextResponse)
    async def readyz() -> PlainTextResponse:
        """Report whether the policy has answered a dummy inference."""
        ready = bool(house.roster.in_force.desk.healthy)
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return PlainTextResponse("ready\n" if ready else "not ready\n", status)

    @app.get("/health")
    @app.get("/v1/policies/{name}/health")
    async def health(request: Request) -> JSONResponse:
        """Run a dummy inference and return its latency, beside the percentiles of real calls."""
        try:
            await house.identify_sender(request.scope)
            version = find_version(house, request)
            body = await describe_health(version)
        except REASONS as wrong:
            return make_problem_response(wrong)
        return JSONResponse(body, HTTPStatus.OK if version.desk.healthy else HTTPStatus.SERVICE_UNAVAILABLE)

    @app.get("/metadata")
    @app.get("/v1/policies/{name}")
    async def metadata(request: Request) -> JSONResponse:
        """Return the policy's id, inputs and outputs."""
        try:
            await house.identify_sender(request.scope)
            return JSONResponse(to_plain(find_version(house, request).describe()))
        except REASONS as wrong:
            return make_problem_response(wrong)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics(request: Request) -> Response:
        """Return counters and latencies of every version for a scraper."""
        try:
            await house.identify_sender(request.scope)
        except REASONS as wrong:
            return make_problem_response(wrong)
        desks = [version.desk for version in house.roster.versions.values()]
        rows = [(desk.engine.bundle.policy, desk.metrics, desk.healthy) for desk in desks]
        return PlainTextResponse(write_metrics(rows, in_force=house.roster.in_force.id))


def find_version(house: House, request: Request) -> Version:
    """Return the version that a path names, else the one in force."""
    name = request.path_params.get("name", "")
    return house.roster.find(name) if name else house.roster.in_force


async def describe_health(version: Version) -> dict[str, Any]:
    """Run a dummy inference, or take the last one, and describe it."""
    found = await version.desk.check_health()
    return {
        "schema": "health/1",
        "status": found.status.value,
        "latency_ms": found.latency_ms,
        "checked_at": format_iso_time(found.at_ns),
        "message": found.message,
        "policy": version.id,
        "real_calls": version.desk.metrics.summarise_recent_calls(),
    }


async def read_body(request: Request, house: House) -> bytes:
    """Read a body; one that states to be too large is refused unread, one that does not come in time too."""
    stated, most = request.headers.get("content-length", "0"), house.max_bytes
    if stated.isdigit() and int(stated) > most:
        raise TooLarge(f"The request has more than {most} bytes.")
    body = bytearray()
    try:
        async with asyncio.timeout(house.settings.number("read_timeout_s")):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise TooLarge(f"The request has more than {most} bytes.")
    except TimeoutError as slow:
        raise Stalled(f"The request stopped after {len(body)} bytes.") from slow
    return bytes(body)


def parse_json_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as wrong:
        raise BadInput(f"The request is not valid JSON: {wrong}.") from wrong
    if not isinstance(message, dict):
        raise BadInput(f"The request is a JSON {type(message).__name__}, not an object of stream name → array.")
    return message
