"""A bundle as one ONNX graph: as it lies there, with the card's normaliser put inside, or traced from ACT's weights."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput, Refused
from fieldloop.serve import lerobot_folder as lerobot
from fieldloop.serve.bundle import WEIGHTS, Bundle
from fieldloop.serve.normaliser import Normaliser, Scaling, read_normaliser

OUTPUT = "actions"
OPSET = 18
BATCH = "batch"


def make_onnx(folder: Path, bundle: Bundle) -> bytes:
    """Return the graph that answers as the bundle's engine does; a policy without one is refused."""
    if bundle.engine == "onnx":
        return _put_normaliser_inside((folder / next(iter(bundle.files), WEIGHTS)).read_bytes(), bundle)
    if bundle.engine == "lerobot" and lerobot.read_lerobot_folder(folder).kind == "act":
        return _trace_act(folder, bundle)
    raise Refused(f"A policy of the engine {bundle.engine!r} has no ONNX form here. Export it with its own tools.")


def _put_normaliser_inside(graph: bytes, bundle: Bundle) -> bytes:
    """Put what the card scales into the graph, so that no server and no client can forget it."""
    shapes = {i.name: i.shape for i in bundle.inputs}
    normaliser = read_normaliser(bundle.normaliser, shapes, len(bundle.action_names), bundle.name)
    if normaliser is None:
        return graph
    import onnx

    model = onnx.load_from_string(graph)
    if any(attribute.HasField("g") or attribute.graphs for node in model.graph.node for attribute in node.attribute):
        raise Refused("The graph has branches or loops, into which the card's normaliser cannot be put safely.")
    output = str(bundle.options.get("output", "action"))
    _scale_ends(model, normaliser, output)
    onnx.checker.check_model(model)
    made: bytes = model.SerializeToString()
    return made


def _scale_ends(model: Any, normaliser: Normaliser, output: str) -> None:
    before: list[Any] = []
    for name, scaling in normaliser.inputs.items():
        inner = f"{name}.normalised"
        _rename(model, name, inner, inputs=True)
        before += _make_steps(model, name, inner, scaling, undo=False)
    if normaliser.action is not None:
        inner = f"{output}.normalised"
        _rename(model, output, inner, inputs=False)
        model.graph.node.extend(_make_steps(model, inner, output, normaliser.action, undo=True))
    nodes = [*before, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _rename(model: Any, old: str, new: str, *, inputs: bool) -> None:
    """Rename an end inside the graph; its outer name stays with the outer value."""
    for node in model.graph.node:
        for names in (node.input, *(() if inputs else (node.output,))):
            for place, name in enumerate(names):
                if name == old:
                    names[place] = new


def _make_steps(model: Any, source: str, target: str, scaling: Scaling, *, undo: bool) -> list[Any]:
    """Make the two nodes of a scaling, and keep its numbers in the graph."""
    from onnx import helper, numpy_helper

    for part in ("offset", "scale"):
        array = np.asarray(getattr(scaling, part), np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, f"{target}.{part}"))
    middle = f"{target}.middle"
    first, second = (("Mul", "scale"), ("Add", "offset")) if undo else (("Sub", "offset"), ("Div", "scale"))
    return [
        helper.make_node(first[0], [source, f"{target}.{first[1]}"], [middle]),
        helper.make_node(second[0], [middle, f"{target}.{second[1]}"], [target]),
    ]


def _trace_act(folder: Path, bundle: Bundle) -> bytes:
    from fieldloop.serve.engines.act import make_act_function, read_scalings
    from fieldloop.serve.engines.torch_runner import require_torch
    from fieldloop.serve.networks.act import read_shape
    from fieldloop.serve.safetensors import read_arrays

    torch = require_torch()
    stated = lerobot.read_lerobot_folder(folder)
    kinds = {name: one.kind for name, one in stated.inputs.items()}
    function = make_act_function(
        read_arrays(folder / lerobot.WEIGHTS), read_shape(stated.config), kinds, read_scalings(stated)
    )
    names = [i.name for i in bundle.inputs]

    def forward(_module: Any, *arrays: Any) -> Any:
        return function(dict(zip(names, arrays, strict=True)))

    traced = type("Traced", (torch.nn.Module,), {"forward": forward})()  # a module is what PyTorch exports
    blank = tuple(torch.zeros((1, *i.shape), dtype=getattr(torch, i.dtype)) for i in bundle.inputs)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / WEIGHTS
        try:
            _export(torch, traced, blank, path, names)
        except ImportError as missing:
            raise BadInput(f"PyTorch needs a package to write ONNX ({missing}): pip install onnxscript") from missing
        return path.read_bytes()


def _export(torch: Any, module: Any, blank: tuple[Any, ...], path: Path, names: list[str]) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch plans for later versions of its exporter
        torch.onnx.export(
            module, blank, str(path), input_names=names, output_names=[OUTPUT], opset_version=OPSET, dynamo=False,
            dynamic_axes={name: {0: BATCH} for name in (*names, OUTPUT)},
        )  # fmt: skip
