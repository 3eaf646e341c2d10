"""KServe's protocol over HTTP: JSON, with tensors as bytes after it where the client sends them so."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from fieldloop.errors import BadInput
from fieldloop.model.codec import to_plain
from fieldloop.serve.doors.http_door import answer_message, parse_json_object, read_body
from fieldloop.serve.doors.parts import House, get_client_label
from fieldloop.serve.kserve.tensors import NAMES, Tensor, describe_tensors, read_message, write_tensors
from fieldloop.serve.refusals import REASONS, classify_refusal

JSON_LENGTH = "inference-header-content-length"


def add_kserve_routes(app: FastAPI, house: House) -> None:
    """Add the routes under /v2."""

    @app.get("/v2/health/live")
    async def is_live() -> JSONResponse:
        """Report that the process answers."""
        return JSONResponse({"live": True})

    @app.get("/v2/health/ready")
    @app.get("/v2/models/{name}/ready")
    async def is_ready(request: Request) -> Response:
        """Report whether a policy has answered a dummy inference."""
        name = request.path_params.get("name", "")
        try:
            version = house.roster.find(name) if name else house.roster.in_force
        except REASONS as wrong:
            return _make_error(wrong)
        return JSONResponse({"ready": bool(version.desk.healthy)}, 200 if version.desk.healthy else 503)

    @app.get("/v2")
    async def describe_server() -> JSONResponse:
        """Return the server's name."""
        return JSONResponse({"name": "fieldloop", "version": "2", "extensions": ["binary_tensor_data"]})

    @app.get("/v2/models/{name}")
    async def describe_model(request: Request, name: str) -> Response:
        """Return the inputs and outputs of a policy."""
        try:
            await house.identify_sender(request.scope)
            version = house.roster.find(name)
        except REASONS as wrong:
            return _make_error(wrong)
        inputs, outputs = describe_tensors(version.desk.engine.bundle)
        described = {"name": version.name, "versions": [version.id], "platform": "fieldloop"}
        return JSONResponse({**described, "inputs": inputs, "outputs": outputs})

    @app.post("/v2/models/{name}/infer")
    async def infer(request: Request, name: str) -> Response:
        """Answer one observation, sent as KServe's tensors."""
        try:
            await house.identify_sender(request.scope)
            body = await read_body(request, house)
            asked, tensors = _read_tensors(body, request.headers.get(JSON_LENGTH, ""))
            stated = asked.get("parameters") or {}
            version = house.roster.find(name)
            message, batched = read_message(tensors, stated, version.desk.engine.bundle)
            reply = await answer_message(house, message, get_client_label(request.scope), name)
        except REASONS as wrong:
            return _make_error(wrong)
        outputs = [
            {"name": n, "datatype": NAMES[str(a.dtype)], "shape": list(a.shape), "data": to_plain(a.reshape(-1))}
            for n, a in write_tensors(reply, batched=batched)
        ]
        answered = {"model_name": version.name, "model_version": reply["policy"], "outputs": outputs}
        return JSONResponse(answered | ({"id": asked["id"]} if isinstance(asked.get("id"), str) else {}))


def _read_tensors(body: bytes, json_length: str) -> tuple[dict[str, Any], list[Tensor]]:
    length = int(json_length) if json_length.isdigit() else len(body)
    asked, rest = parse_json_object(body[:length]), memoryview(body)[length:]
    rows = asked.get("inputs")
    if not isinstance(rows, list):
        raise BadInput("The request lacks inputs, a list of tensors.")
    tensors = []
    for row in rows:
        tensor, taken = _read_tensor(row, rest)
        rest = rest[taken:]
        tensors.append(tensor)
    return asked, tensors


def _read_tensor(row: Any, rest: memoryview) -> tuple[Tensor, int]:
    """Return one tensor and how many of the bytes after the JSON it took."""
    try:
        shape = tuple(int(n) for n in row["shape"])
        size = (row.get("parameters") or {}).get("binary_data_size")
        data = _flatten_lists(row["data"]) if size is None else bytes(rest[: int(size)])
        return Tensor(str(row["name"]), str(row["datatype"]), shape, data), 0 if size is None else int(size)
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise BadInput(f"An input lacks its name, type, shape or data ({wrong}).") from wrong


def _flatten_lists(values: Any) -> list[Any]:
    """Flatten lists in lists, as the protocol allows.

    >>> _flatten_lists([[1, 2], [3]])
    [1, 2, 3]
    """
    if not isinstance(values, list):
        raise TypeError("data is not a list")
    return [one for value in values for one in (_flatten_lists(value) if isinstance(value, list) else [value])]


def _make_error(error: Exception) -> Response:
    body: Mapping[str, str] = {"error": str(error)}
    return Response(json.dumps(body), classify_refusal(error)[1], media_type="application/json")
