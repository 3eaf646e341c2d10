"""Make a bundle of an ONNX file of another maker: inputs and the length of a chunk are read from the graph."""

from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.policy import Input
from fieldloop.serve.adding.settings import PolicySettings
from fieldloop.serve.adding.shapes import read_horizon
from fieldloop.serve.bundle import WEIGHTS, Bundle
from fieldloop.serve.engines.arrays import get_first_line
from fieldloop.serve.engines.onnx import TYPES, open_session

ASKED = ("control_hz", "action_names", "units", "normaliser")


def describe_onnx(path: Path, name: str, settings: PolicySettings) -> tuple[Bundle, dict[str, Path]]:
    """Return the card and the files of a bundle for an ONNX file."""
    settings.require(str(path), *ASKED)
    _check_weights(path)
    session = open_session(path)
    inputs = tuple(_read_input(path, node, settings) for node in session.get_inputs())
    output = _choose_output(path, [node.name for node in session.get_outputs()], settings.output)
    blank = {i.name: np.zeros((1, *i.shape), i.dtype) for i in inputs}
    try:
        answer = session.run([output], blank)[0]
    except Exception as wrong:  # onnxruntime raises classes of its own C++ module
        raise BadInput(f"{path}: the graph fails on a blank observation: {get_first_line(wrong)}") from wrong
    horizon = read_horizon(np.asarray(answer), settings.action_names, f"{path}: the output {output!r}")
    bundle = settings.make_bundle(
        name, "onnx", inputs, horizon, normaliser=settings.normaliser, options={**settings.options, "output": output}
    )
    return bundle, {WEIGHTS: path}


def _read_input(path: Path, node: Any, settings: PolicySettings) -> Input:
    if node.type not in TYPES:
        raise BadInput(f"{path}: the input {node.name!r} is {node.type}; only arrays of numbers can be sent.")
    stated = settings.inputs.get(node.name, {}).get("shape")
    shape = tuple(stated) if stated else tuple(node.shape[1:])
    if not node.shape or not all(isinstance(n, int) and n > 0 for n in shape):
        raise BadInput(
            f"{path}: the input {node.name!r} has the shape {node.shape}. State its shape without the batch in the "
            f"settings: [inputs.{node.name!r}] shape = [...]"
        )
    return Input(node.name, shape, TYPES[node.type])


def _choose_output(path: Path, outputs: list[str], stated: str) -> str:
    likely = [name for name in outputs if name in ("action", "actions")]
    chosen = stated or (outputs[0] if len(outputs) == 1 else likely[0] if len(likely) == 1 else "")
    if chosen not in outputs:
        raise BadInput(f"{path}: which output is the action? State output = one of {', '.join(map(repr, outputs))}.")
    return chosen


def _check_weights(path: Path) -> None:
    """Refuse weights that lie in other files, and weights that are not finite."""
    import onnx
    from onnx import numpy_helper

    try:
        model = onnx.load(str(path), load_external_data=False)
    except Exception as wrong:  # protobuf raises its own kinds
        raise BadInput(f"{path} is not an ONNX file: {get_first_line(wrong)}") from wrong
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            raise BadInput(f"{path} keeps weights in other files. Save it as one file: onnx.save(model, path).")
        values = numpy_helper.to_array(tensor)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise BadInput(
                f"{path}: the weights {tensor.name!r} hold numbers that are not finite. Take another export."
            )
