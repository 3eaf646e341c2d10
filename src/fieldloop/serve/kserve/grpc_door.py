"""KServe's protocol over gRPC, beside the HTTP port and on the same desks."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from fieldloop.errors import BadInput, MissingExtra
from fieldloop.serve.doors.http_door import answer_message
from fieldloop.serve.doors.parts import House
from fieldloop.serve.kserve.schema import METHODS, PACKAGE, SERVICE, load_messages
from fieldloop.serve.kserve.tensors import NAMES, Tensor, describe_tensors, read_message, write_tensors
from fieldloop.serve.refusals import classify_refusal, convert_failure
from fieldloop.serve.versions import Version

CODES: Mapping[HTTPStatus, str] = {
    HTTPStatus.UNPROCESSABLE_ENTITY: "INVALID_ARGUMENT",
    HTTPStatus.BAD_REQUEST: "INVALID_ARGUMENT",
    HTTPStatus.SERVICE_UNAVAILABLE: "UNAVAILABLE",
    HTTPStatus.CONFLICT: "ABORTED",
    HTTPStatus.GATEWAY_TIMEOUT: "DEADLINE_EXCEEDED",
    HTTPStatus.UNAUTHORIZED: "UNAUTHENTICATED",
    HTTPStatus.FORBIDDEN: "PERMISSION_DENIED",
}
CALLS = itertools.count(1)
Answer = Callable[[House, Any], Awaitable[dict[str, Any]]]


def load_grpc() -> Any:
    """Import the library, which an extra brings."""
    try:
        import grpc
    except ModuleNotFoundError as missing:
        raise MissingExtra("grpcio", "grpc") from missing
    return grpc


@asynccontextmanager
async def serve_grpc(house: House, host: str, port: int) -> AsyncIterator[int]:
    """Serve inside the block, on the port that it gets; robots that were asking are answered at the end."""
    grpc = load_grpc()
    limits = [("grpc.max_receive_message_length", house.max_bytes), ("grpc.max_send_message_length", house.max_bytes)]
    server = grpc.aio.server(options=[*limits, ("grpc.so_reuseport", 0)])
    handlers = {name: _make_handler(grpc, house, name) for name in METHODS}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(f"{PACKAGE}.{SERVICE}", handlers),))
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        bound = server.add_insecure_port(address)
    except RuntimeError as wrong:
        raise BadInput(f"Cannot listen on {address} for gRPC. Choose another port with --grpc.") from wrong
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(house.settings.number("answer_timeout_s"))


def _make_handler(grpc: Any, house: House, method: str) -> Any:
    kinds = load_messages()
    request, response = kinds[f"{method}Request"], kinds[f"{method}Response"]

    async def handle(asked: Any, call: Any) -> Any:
        try:
            await _identify_caller(house, call)
            return response(**await ANSWERS[method](house, asked))
        except Exception as wrong:  # noqa: BLE001 - no traceback leaves the server
            answered = convert_failure(wrong)
            code = CODES.get(classify_refusal(answered)[1], "INTERNAL")
            return await call.abort(grpc.StatusCode[code], str(answered))

    return grpc.unary_unary_rpc_method_handler(
        handle, request_deserializer=request.FromString, response_serializer=response.SerializeToString
    )


async def _identify_caller(house: House, call: Any) -> None:
    headers = {key: value for key, value in call.invocation_metadata() or () if isinstance(value, str)}
    kind, _, rest = unquote(call.peer()).partition(":")
    client = rest.rpartition(":")[0].strip("[]") if kind in ("ipv4", "ipv6") else ""
    await house.identify(headers, client)


def _find_version(house: House, name: str) -> Version:
    return house.roster.find(name) if name else house.roster.in_force


async def _is_live(_house: House, _asked: Any) -> dict[str, Any]:
    return {"live": True}


async def _is_ready(house: House, _asked: Any) -> dict[str, Any]:
    return {"ready": bool(house.roster.in_force.desk.healthy)}


async def _is_model_ready(house: House, asked: Any) -> dict[str, Any]:
    return {"ready": bool(_find_version(house, asked.name).desk.healthy)}


async def _describe_server(_house: House, _asked: Any) -> dict[str, Any]:
    return {"name": "fieldloop", "version": "2", "extensions": []}


async def _describe_model(house: House, asked: Any) -> dict[str, Any]:
    version = _find_version(house, asked.name)
    inputs, outputs = describe_tensors(version.desk.engine.bundle)
    return {
        "name": version.name,
        "versions": [version.id],
        "platform": "fieldloop",
        "inputs": inputs,
        "outputs": outputs,
    }


async def _infer(house: House, asked: Any) -> dict[str, Any]:
    version = _find_version(house, asked.model_name)
    raw = list(asked.raw_input_contents)
    if raw and len(raw) != len(asked.inputs):
        raise BadInput(f"{len(raw)} raw contents came for {len(asked.inputs)} inputs.")
    tensors = [
        Tensor(t.name, t.datatype, tuple(t.shape), raw[n] if raw else _list_contents(t.contents))
        for n, t in enumerate(asked.inputs)
    ]
    parameters = {
        key: getattr(p, p.WhichOneof("parameter_choice") or "bool_param") for key, p in asked.parameters.items()
    }
    message, batched = read_message(tensors, parameters, version.desk.engine.bundle)
    label = f"grpc {next(CALLS)}"  # one channel carries many calls at once; without a name each is a robot of its own
    reply = await answer_message(house, message, label, asked.model_name, "grpc")
    outputs = write_tensors(reply, batched=batched)
    return {
        "model_name": version.name,
        "model_version": reply["policy"],
        "id": asked.id,
        "outputs": [{"name": name, "datatype": NAMES[str(a.dtype)], "shape": list(a.shape)} for name, a in outputs],
        "raw_output_contents": [array.tobytes() for _, array in outputs],
    }


def _list_contents(contents: Any) -> list[Any]:
    """Return the values of the one field that is filled."""
    return next((list(values) for _, values in contents.ListFields()), [])


ANSWERS: Mapping[str, Answer] = {
    "ServerLive": _is_live,
    "ServerReady": _is_ready,
    "ModelReady": _is_model_ready,
    "ServerMetadata": _describe_server,
    "ModelMetadata": _describe_model,
    "ModelInfer": _infer,
}
