"""The messages of KServe's gRPC protocol, version 2, built from a table; no generated code is needed.

Field names and numbers are those of the public protocol, so that any of its clients can be used.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE, SERVICE = "inference", "GRPCInferenceService"
PARAMETERS = "map parameters"

MESSAGES: Mapping[str, tuple[str, ...]] = {
    "ServerLiveRequest": (),
    "ServerLiveResponse": ("1 bool live",),
    "ServerReadyRequest": (),
    "ServerReadyResponse": ("1 bool ready",),
    "ModelReadyRequest": ("1 string name", "2 string version"),
    "ModelReadyResponse": ("1 bool ready",),
    "ServerMetadataRequest": (),
    "ServerMetadataResponse": ("1 string name", "2 string version", "3 string* extensions"),
    "ModelMetadataRequest": ("1 string name", "2 string version"),
    "ModelMetadataResponse": (
        "1 string name", "2 string* versions", "3 string platform", "4 .TensorMetadata* inputs",
        "5 .TensorMetadata* outputs",
    ),
    "ModelMetadataResponse.TensorMetadata": ("1 string name", "2 string datatype", "3 int64* shape"),
    "InferParameter": (
        "1 bool bool_param", "2 int64 int64_param", "3 string string_param", "4 double double_param",
        "5 uint64 uint64_param",
    ),
    "InferTensorContents": (
        "1 bool* bool_contents", "2 int32* int_contents", "3 int64* int64_contents", "4 uint32* uint_contents",
        "5 uint64* uint64_contents", "6 float* fp32_contents", "7 double* fp64_contents", "8 bytes* bytes_contents",
    ),
    "ModelInferRequest": (
        "1 string model_name", "2 string model_version", "3 string id", f"4 {PARAMETERS}",
        "5 .InferInputTensor* inputs", "6 .InferRequestedOutputTensor* outputs", "7 bytes* raw_input_contents",
    ),
    "ModelInferRequest.InferInputTensor": (
        "1 string name", "2 string datatype", "3 int64* shape", f"4 {PARAMETERS}", "5 InferTensorContents contents",
    ),
    "ModelInferRequest.InferRequestedOutputTensor": ("1 string name", f"2 {PARAMETERS}"),
    "ModelInferResponse": (
        "1 string model_name", "2 string model_version", "3 string id", f"4 {PARAMETERS}",
        "5 .InferOutputTensor* outputs", "6 bytes* raw_output_contents",
    ),
    "ModelInferResponse.InferOutputTensor": (
        "1 string name", "2 string datatype", "3 int64* shape", f"4 {PARAMETERS}", "5 InferTensorContents contents",
    ),
}  # fmt: skip
"""Message → its fields: number, type and name. `*`: repeated; `.`: a message within this one."""

ONE_OF = {"InferParameter": "parameter_choice"}
METHODS = ("ServerLive", "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelInfer")

Field = descriptor_pb2.FieldDescriptorProto


@cache
def load_messages() -> Mapping[str, Any]:
    """Return the message classes by name; they are in a pool of their own."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_describe_file())
    names = (name for name in MESSAGES if "." not in name)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in names}


def _describe_file() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="fieldloop_kserve.proto", package=PACKAGE, syntax="proto3")
    described: dict[str, Any] = {}
    for name, fields in MESSAGES.items():
        outer, _, own = name.rpartition(".")
        message = (described[outer].nested_type if outer else file.message_type).add(name=own)
        described[name] = message
        if name in ONE_OF:
            message.oneof_decl.add(name=ONE_OF[name])
        for number, kind, field in (text.split() for text in fields):
            _add_field(message, name, int(number), kind, field)
    return file


def _add_field(message: Any, owner: str, number: int, kind: str, name: str) -> None:
    field = message.field.add(name=name, number=number, label=Field.LABEL_OPTIONAL)
    if kind == "map":
        _describe_map(message, field, owner)
        return
    if kind.endswith("*"):
        field.label, kind = Field.LABEL_REPEATED, kind[:-1]
    if kind.startswith("."):
        field.type, field.type_name = Field.TYPE_MESSAGE, f".{PACKAGE}.{owner}{kind}"
    elif kind in MESSAGES:
        field.type, field.type_name = Field.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
    else:
        field.type = Field.Type.Value(f"TYPE_{kind.upper()}")
    if owner in ONE_OF:
        field.oneof_index = 0


def _describe_map(message: Any, field: Any, owner: str) -> None:
    """Describe a map of text to InferParameter, as protobuf does: a repeated message of key and value."""
    entry = message.nested_type.add(name="ParametersEntry")
    entry.options.map_entry = True
    _add_field(entry, f"{owner}.ParametersEntry", 1, "string", "key")
    _add_field(entry, f"{owner}.ParametersEntry", 2, "InferParameter", "value")
    field.label, field.type = Field.LABEL_REPEATED, Field.TYPE_MESSAGE
    field.type_name = f".{PACKAGE}.{owner}.ParametersEntry"


def list_field_numbers() -> Iterator[tuple[str, str, int]]:
    """Yield message, field and number, for a comparison with another copy of the protocol."""
    for name, fields in MESSAGES.items():
        for number, _, field in (text.split() for text in fields):
            yield name, field, int(number)
