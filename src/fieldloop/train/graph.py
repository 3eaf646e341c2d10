"""The learnt weights as one ONNX graph, from raw pictures to action and confidence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.train import confidence, scaling, vision
from fieldloop.train.reference import Weights
from fieldloop.train.samples import ACTION_NAMES, CAMERA, DEPTH

OPSET = 17
IR_VERSION = 9
"""Both old enough for any runtime of the last years."""


class _Graph:
    """Collects nodes and constants under names of their own."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: ArrayLike, kind: Any = np.float32) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, dtype=kind), name))
        return name

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = name or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def times(self, value: str, factor: ArrayLike) -> str:
        return self.add("Mul", value, self.constant(factor))

    def plus(self, value: str, term: ArrayLike) -> str:
        return self.add("Add", value, self.constant(term))

    def total(self, value: str, axes: Sequence[int], *, keep: bool = True) -> str:
        return self.add("ReduceSum", value, self.constant(axes, np.int64), keepdims=int(keep))

    def flat(self, value: str) -> str:
        return self.add("Flatten", value, axis=1)


def build(weights: Weights) -> Any:
    """Return the model: inputs named like their streams, batch first; outputs `action` and `confidence`."""
    from onnx import TensorProto, checker, helper

    graph = _Graph()
    inputs = _inputs(graph, weights)
    answers = [_perceptron(graph, member, inputs) for member in weights.members]
    stacked = graph.add("Concat", *[graph.add("Unsqueeze", a, graph.constant([0], np.int64)) for a in answers], axis=0)
    mean = graph.add("ReduceMean", stacked, axes=[0], keepdims=0)
    _action(graph, weights, mean)
    _confidence(graph, weights, inputs, stacked, mean)
    eye = weights.vision
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "reference",
            [
                helper.make_tensor_value_info(CAMERA, TensorProto.UINT8, ["N", *eye.picture, 3]),
                helper.make_tensor_value_info(DEPTH, TensorProto.FLOAT, ["N", *eye.depth]),
            ],
            [
                helper.make_tensor_value_info("action", TensorProto.FLOAT, ["N", len(ACTION_NAMES)]),
                helper.make_tensor_value_info("confidence", TensorProto.FLOAT, ["N"]),
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="fieldloop",
    )
    checker.check_model(model, full_check=True)
    return model


def _inputs(graph: _Graph, weights: Weights) -> str:
    """`vision.extract_features` and `Scaling.__call__`, step by step; pictures have their colour planes first here."""
    from onnx import TensorProto

    eye, scale = weights.vision, weights.scaling
    pool, field = eye.pool, (eye.depth[0] // vision.GRID, eye.depth[1] // vision.GRID)
    x = graph.add("Transpose", graph.add("Cast", CAMERA, to=TensorProto.FLOAT), perm=[0, 3, 1, 2])
    x = graph.times(graph.add("AveragePool", x, kernel_shape=[pool, pool], strides=[pool, pool]), 1 / 255)
    bright = graph.plus(graph.add("ReduceMean", x, axes=[1, 2, 3], keepdims=1), vision.DARK)
    x = graph.times(graph.add("Div", x, bright), vision.EXPOSED)
    chroma = graph.add(
        "Sub", graph.add("ReduceMax", x, axes=[1], keepdims=1), graph.add("ReduceMin", x, axes=[1], keepdims=1)
    )
    weight = graph.add("Relu", graph.plus(chroma, -eye.threshold))
    raw = graph.add("Unsqueeze", DEPTH, graph.constant([1], np.int64))
    lost = graph.add("IsNaN", raw)
    depth = graph.add("Where", lost, graph.constant(vision.FAR_M), raw)
    item = _item(graph, weights, x, weight, depth, lost)
    colours = graph.flat(graph.add("AveragePool", x, kernel_shape=field, strides=field))
    depths = graph.flat(
        graph.times(graph.add("AveragePool", depth, kernel_shape=field, strides=field), vision.DEPTH_GAIN)
    )
    scene = graph.plus(graph.add("Concat", colours, depths, axis=1), -scale.context_mean)
    scene = graph.add("MatMul", scene, graph.constant(scale.context_axes / scale.context_spread))
    item = graph.times(graph.plus(item, -scale.salient_mean), 1 / scale.salient_spread)
    limits = graph.constant(-scaling.CLIP), graph.constant(scaling.CLIP)
    return graph.add("Clip", graph.add("Concat", item, scene, axis=1), *limits)


def _item(graph: _Graph, weights: Weights, x: str, weight: str, depth: str, lost: str) -> str:
    eye = weights.vision
    mass = graph.plus(graph.total(weight, [2, 3]), vision.EMPTY)

    def mean_of(value: str) -> str:
        return graph.add("Div", graph.total(graph.add("Mul", weight, value), [2, 3]), mass)

    u, v = graph.constant(eye.columns[None, None, None, :]), graph.constant(eye.rows[None, None, :, None])
    at_u, at_v = mean_of(u), mean_of(v)
    off_u, off_v = graph.add("Sub", u, at_u), graph.add("Sub", v, at_v)
    uu, vv = mean_of(graph.add("Mul", off_u, off_u)), mean_of(graph.add("Mul", off_v, off_v))
    uv = mean_of(graph.add("Mul", off_u, off_v))
    extent = graph.plus(graph.add("Add", uu, vv), vision.FLAT)
    returned = graph.add("Where", lost, graph.constant(0.0), weight)
    total = graph.plus(graph.total(returned, [2, 3]), vision.EMPTY)
    distance = graph.add("Div", graph.total(graph.add("Mul", returned, depth), [2, 3]), total)
    parts = [
        at_u,
        at_v,
        graph.add("Div", graph.add("Sub", uu, vv), extent),
        graph.add("Div", graph.times(uv, 2.0), extent),
        graph.add("Sqrt", extent),
        graph.add("Log", mass),
        distance,
        mean_of(x),
    ]
    return graph.flat(graph.add("Concat", *parts, axis=1))


def _perceptron(graph: _Graph, layers: Sequence[Any], value: str) -> str:
    for i, layer in enumerate(layers):
        value = graph.plus(graph.add("MatMul", value, graph.constant(layer.weight)), layer.bias)
        if i + 1 < len(layers):
            value = graph.add("Tanh", value)
    return value


def _action(graph: _Graph, weights: Weights, mean: str) -> None:
    answer = graph.plus(graph.times(mean, weights.target_spread), weights.target_mean)

    def column(first: int, last: int) -> str:
        spans = (graph.constant([edge], np.int64) for edge in (first, last, 1))
        return graph.add("Slice", answer, *spans)

    sine, cosine = column(3, 4), column(4, 5)
    # ONNX has no atan2: the half-angle form needs neither quadrants nor a division by zero.
    length = graph.add("Sqrt", graph.add("Add", graph.add("Mul", sine, sine), graph.add("Mul", cosine, cosine)))
    half = graph.add("Atan", graph.add("Div", sine, graph.plus(graph.add("Add", length, cosine), 1e-9)))
    graph.add("Concat", column(0, 3), half, column(5, 7), axis=1, name="action")


def _confidence(graph: _Graph, weights: Weights, inputs: str, stacked: str, mean: str) -> None:
    from onnx import helper

    known = weights.familiar
    squares = graph.total(graph.add("Mul", inputs, inputs), [1])
    cross = graph.add("MatMul", inputs, graph.constant(-2 * known.scenes.T))
    squared = graph.plus(graph.add("Add", squares, cross), (known.scenes**2).sum(axis=1)[None])
    count = min(confidence.NEIGHBOURS, len(known.scenes))
    among = [graph.add("Relu", squared), graph.constant([count], np.int64)]
    graph.nodes.append(helper.make_node("TopK", among, ["nearest", "nearest_index"], largest=0))
    away = graph.add("ReduceMean", graph.add("Sqrt", "nearest"), axes=[1], keepdims=0)
    off = graph.add("Sub", stacked, mean)
    apart = graph.add("Sqrt", graph.add("ReduceMean", graph.add("Mul", off, off), axes=[0, 2], keepdims=0))
    away, apart = graph.times(away, 1 / known.usual_distance), graph.times(apart, 1 / known.usual_disagreement)
    strange = graph.add("Add", graph.add("Mul", away, away), graph.add("Mul", apart, apart))
    exponent = graph.times(strange, float(np.log(known.level)) / known.usual_strangeness**2)
    graph.add("Exp", exponent, name="confidence")
