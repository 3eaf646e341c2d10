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
from fieldloop.serve.refusals import classify_refusal, convert_failure

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
        """Report whether a policy has answered a dummy inference; one that is named is shown to known senders only."""
        name = request.path_params.get("name", "")
        try:
            if name:
                await house.identify_sender(request.scope)
            version = house.roster.find(name) if name else house.roster.in_force
        except Exception as wrong:  # noqa: BLE001 - no traceback leaves the server
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
        except Exception as wrong:  # noqa: BLE001 - no traceback leaves the server
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
            version = house.roster.find(name)
            message, batched = read_message(tensors, _read_parameters(asked), version.desk.engine.bundle)
            reply = await answer_message(house, message, get_client_label(request.scope), name)
            outputs = [
                {"name": n, "datatype": NAMES[str(a.dtype)], "shape": list(a.shape), "data": to_plain(a.reshape(-1))}
                for n, a in write_tensors(reply, batched=batched)
            ]
        except Exception as wrong:  # noqa: BLE001 - no traceback leaves the server
            return _make_error(wrong)
        answered = {"model_name": version.name, "model_version": reply["policy"], "outputs": outputs}
        return JSONResponse(answered | ({"id": asked["id"]} if isinstance(asked.get("id"), str) else {}))


def _read_parameters(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    stated = asked.get("parameters") or {}
    if not isinstance(stated, Mapping):
        raise BadInput(f"parameters is a {type(stated).__name__}, not a map of name → value.")
    return stated


def _read_tensors(body: bytes, json_length: str) -> tuple[dict[str, Any], list[Tensor]]:
    stated = json_length.isdecimal() and len(json_length) <= len(str(len(body)))
    length = int(json_length) if stated else len(body)
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
        stated = (row.get("parameters") or {}).get("binary_data_size")
        size = 0 if stated is None else int(stated)
        if not 0 <= size <= len(rest):
            raise ValueError(f"binary_data_size = {size}; {len(rest)} bytes are left")  # noqa: TRY301 - one text for all
        data = _flatten_lists(row["data"]) if stated is None else bytes(rest[:size])
        return Tensor(str(row["name"]), str(row["datatype"]), shape, data), size
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as wrong:
        raise BadInput(f"An input lacks its name, type, shape or data, or they do not fit ({wrong}).") from wrong


def _flatten_lists(values: Any) -> list[Any]:
    """Flatten lists in lists, as the protocol allows.

    >>> _flatten_lists([[1, 2], [3]])
    [1, 2, 3]
    """
    if not isinstance(values, list):
        raise TypeError("data is not a list")
    return [one for value in values for one in (_flatten_lists(value) if isinstance(value, list) else [value])]


def _make_error(error: Exception) -> Response:
    answered = convert_failure(error)
    body: Mapping[str, str] = {"error": str(answered)}
    return Response(json.dumps(body), classify_refusal(answered)[1], media_type="application/json")
