"""Run in the venv of Triton's client: infer over gRPC and HTTP on a server of ours, and list its field numbers."""

import json
import sys

import numpy as np
import tritonclient.grpc as over_grpc
import tritonclient.http as over_http
from tritonclient.grpc import service_pb2
from tritonclient.utils import InferenceServerException

PICTURE = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
VALUES = {
    "images/cam_high": (PICTURE, "UINT8"),
    "state": (np.arange(3, dtype=np.float32), "FP32"),
    "prompt": (np.array([b"pick the box"], dtype=object), "BYTES"),
}


def infer(library, client, names=VALUES, **more):
    inputs = []
    for name in names:
        array, datatype = VALUES[name]
        tensor = library.InferInput(name, list(array.shape), datatype)
        tensor.set_data_from_numpy(array)
        inputs.append(tensor)
    return client.infer("p1", inputs, **more).as_numpy("actions").tolist()


def refuse(call):
    try:
        call()
    except InferenceServerException as refused:
        return str(refused)
    return None


def list_numbers():
    """Every field of every message, as the client's generated code has it."""
    found, open_ = [], [service_pb2.DESCRIPTOR.message_types_by_name[name] for name in sys.argv[3].split(",")]
    while open_:
        message = open_.pop()
        place = message.full_name.removeprefix("inference.")
        found += [(place, field.name, field.number, field.type) for field in message.fields]
        open_ += message.nested_types
    return found


def main(grpc_port, http_port):
    client = over_grpc.InferenceServerClient(f"127.0.0.1:{grpc_port}")
    found = {
        "numbers": list_numbers(),
        "ready": [client.is_server_live(), client.is_server_ready(), client.is_model_ready("p1")],
        "server": client.get_server_metadata().name,
        "shapes": {i.name: list(i.shape) for i in client.get_model_metadata("p1").inputs},
        "grpc": infer(over_grpc, client, parameters={"robot": "arm-1"}),
        "grpc refused": refuse(lambda: infer(over_grpc, client, ["state"])),
    }
    client.close()
    client = over_http.InferenceServerClient(f"127.0.0.1:{http_port}")
    found["ready"] += [client.is_server_live(), client.is_server_ready(), client.is_model_ready("p1")]
    found["http"] = infer(over_http, client)
    found["http refused"] = refuse(lambda: infer(over_http, client, ["state"]))
    client.close()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
