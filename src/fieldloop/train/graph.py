"""The learnt weights as one ONNX graph, from raw pictures to action and confidence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.train import scaling, vision
from fieldloop.train.process import Process
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

    def peak(self, value: str) -> str:
        return self.add("ReduceMax", value, axes=[2, 3], keepdims=1)

    def average(self, value: str, side: int) -> str:
        """Average over the square around each pixel; outside the picture everything is 0."""
        kernel, edges = [side, side], [side // 2] * 4
        return self.add("AveragePool", value, kernel_shape=kernel, strides=[1, 1], pads=edges, count_include_pad=1)

    def flat(self, value: str) -> str:
        return self.add("Flatten", value, axis=1)


def build(weights: Weights) -> Any:
    """Return the model: inputs named like their streams, batch first; outputs `action` and `confidence`."""
    from onnx import TensorProto, checker, helper

    graph = _Graph()
    inputs = graph.add("Cast", _inputs(graph, weights), to=TensorProto.DOUBLE)  # variances are differences
    rows = graph.constant(weights.rows.T, np.float64)
    answers = [_process(graph, learnt, weights.rows, rows, inputs) for learnt in weights.processes]
    means, variances = (graph.add("Concat", *part, axis=1) for part in zip(*answers, strict=True))
    _action(graph, weights, graph.add("Cast", means, to=TensorProto.FLOAT))
    _confidence(graph, weights, variances)
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
    mean = graph.plus(graph.add("ReduceMean", x, axes=[2, 3], keepdims=1), vision.DARK)
    x = graph.times(graph.add("Div", x, mean), vision.EXPOSED)
    raw = graph.add("Unsqueeze", DEPTH, graph.constant([1], np.int64))
    lost = graph.add("IsNaN", raw)
    depth = graph.add("Where", lost, graph.constant(vision.FAR_M), raw)
    item = _item(graph, weights, x, _mask(graph, weights, x), depth, lost)
    chroma = graph.times(graph.add("Div", x, graph.plus(graph.total(x, [1]), vision.DIM)), vision.CHROMA_GAIN)
    colours = graph.flat(graph.add("AveragePool", chroma, kernel_shape=field, strides=field))
    depths = graph.flat(
        graph.times(graph.add("AveragePool", depth, kernel_shape=field, strides=field), vision.DEPTH_GAIN)
    )
    scene = graph.plus(graph.add("Concat", colours, depths, axis=1), -scale.context_mean)
    scene = graph.add("MatMul", scene, graph.constant(scale.context_axes / scale.context_spread))
    item = graph.times(graph.plus(item, -scale.salient_mean), 1 / scale.salient_spread)
    limits = graph.constant(-scaling.CLIP), graph.constant(scaling.CLIP)
    return graph.add("Clip", graph.add("Concat", item, scene, axis=1), *limits)


def _mask(graph: _Graph, weights: Weights, x: str) -> str:
    """Which pixels belong to the item: the strongest spot, and what is as saturated around it."""
    eye = weights.vision
    u, v = graph.constant(eye.columns[None, None, None, :]), graph.constant(eye.rows[None, None, :, None])
    bright, dark = (graph.add(name, x, axes=[1], keepdims=1) for name in ("ReduceMax", "ReduceMin"))
    vivid = graph.add("Div", graph.add("Sub", bright, dark), graph.plus(bright, vision.DIM))
    vivid = graph.times(graph.add("Relu", graph.plus(vivid, -eye.threshold)), eye.likely[None, None])
    spots, patches = graph.average(vivid, vision.SPOT), graph.average(vivid, vision.PATCH)
    share = graph.add("Div", spots, graph.plus(graph.peak(spots), vision.EMPTY**2))
    mask = graph.add("Pow", share, graph.constant(float(vision.SHARP)))
    at_u, at_v = _centre(graph, mask, u, v)
    for _ in range(vision.LOOKS):
        off_u, off_v = graph.add("Sub", u, at_u), graph.add("Sub", v, at_v)
        squared = graph.add("Add", graph.add("Mul", off_u, off_u), graph.add("Mul", off_v, off_v))
        away = graph.times(squared, 1 / vision.REACH**2)
        window = graph.add("Exp", graph.times(graph.add("Mul", away, away), -0.5))
        own = graph.plus(graph.peak(graph.add("Mul", patches, window)), vision.EMPTY)
        rising = graph.plus(graph.add("Div", vivid, own), -vision.FAINT)
        inside = graph.times(rising, 1 / (vision.CLEAR - vision.FAINT))
        mask = graph.add("Mul", graph.add("Clip", inside, graph.constant(0.0), graph.constant(1.0)), window)
        at_u, at_v = _centre(graph, mask, u, v)
    return mask


def _centre(graph: _Graph, weight: str, u: str, v: str) -> tuple[str, str]:
    mass = graph.plus(graph.total(weight, [2, 3]), vision.EMPTY)
    sums = (graph.total(graph.add("Mul", weight, place), [2, 3]) for place in (u, v))
    at_u, at_v = (graph.add("Div", total, mass) for total in sums)
    return at_u, at_v


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
    level = graph.add("Sub", uu, vv)
    slant = graph.times(uv, 2.0)
    slender = graph.add("Sqrt", graph.add("Add", graph.add("Mul", level, level), graph.add("Mul", slant, slant)))
    narrow = graph.add("Max", graph.add("Sub", extent, slender), graph.constant(vision.FLAT))
    returned = graph.add("Where", lost, graph.constant(0.0), weight)
    total = graph.plus(graph.total(returned, [2, 3]), vision.EMPTY)
    distance = graph.add("Div", graph.total(graph.add("Mul", returned, depth), [2, 3]), total)
    colour = mean_of(x)
    parts = [
        at_u,
        at_v,
        graph.add("Div", level, extent),
        graph.add("Div", slant, extent),
        graph.add("Sqrt", graph.times(graph.add("Add", extent, slender), 0.5)),
        graph.add("Sqrt", graph.times(narrow, 0.5)),
        graph.add("Log", mass),
        distance,
        graph.add("Div", colour, graph.plus(graph.total(colour, [1]), vision.DIM)),
    ]
    return graph.flat(graph.add("Concat", *parts, axis=1))


def _process(graph: _Graph, learnt: Process, known: Any, rows: str, inputs: str) -> tuple[str, str]:
    """`Process.answer`: mean and variance of one output, each n × 1."""

    def number(value: ArrayLike) -> str:
        return graph.constant(value, np.float64)

    def squares(value: str) -> str:
        return graph.add("ReduceSum", graph.add("Mul", value, value), graph.constant([1], np.int64), keepdims=1)

    width, scaled = known.shape[1], known / learnt.lengths
    line = graph.add(
        "Mul", graph.add("Add", graph.add("MatMul", inputs, rows), number(1.0)), number(learnt.line / width)
    )
    near = graph.add("Mul", inputs, number(1 / learnt.lengths))
    cross = graph.add("MatMul", near, number(-2 * scaled.T))
    apart = graph.add("Add", graph.add("Add", squares(near), cross), number((scaled**2).sum(axis=1)[None]))
    apart = graph.add("Max", apart, number(0.0))
    bump = graph.add("Mul", graph.add("Exp", graph.add("Mul", apart, number(-0.5))), number(learnt.bump))
    kernel = graph.add("Add", line, bump)
    mean = graph.add("MatMul", kernel, number(learnt.coefficients[:, None]))
    known_part = graph.add("Mul", graph.add("MatMul", kernel, number(learnt.inverse)), kernel)
    known_part = graph.add("ReduceSum", known_part, graph.constant([1], np.int64), keepdims=1)
    prior = graph.add("Mul", graph.add("Add", squares(inputs), number(1.0)), number(learnt.line / width))
    prior = graph.add("Add", prior, number(learnt.bump + learnt.noise))
    return mean, graph.add("Sub", prior, known_part)


def _action(graph: _Graph, weights: Weights, mean: str) -> None:
    answer = graph.plus(graph.times(mean, weights.target_spread), weights.target_mean)

    def column(first: int, last: int) -> str:
        spans = (graph.constant([edge], np.int64) for edge in (first, last, 1))
        return graph.add("Slice", answer, *spans)

    sine, cosine = column(3, 4), column(4, 5)
    # ONNX has no atan2: the half-angle form needs neither quadrants nor a division by zero.
    length = graph.add("Sqrt", graph.add("Add", graph.add("Mul", sine, sine), graph.add("Mul", cosine, cosine)))
    half = graph.add("Atan", graph.add("Div", sine, graph.plus(graph.add("Add", length, cosine), 1e-9)))
    graph.add("Concat", column(0, 3), half, column(5, 6), graph.add("Exp", column(6, 7)), axis=1, name="action")


def _confidence(graph: _Graph, weights: Weights, variances: str) -> None:
    from onnx import TensorProto

    known = weights.familiar
    scaled = graph.add("Mul", variances, graph.constant(1 / known.usual_variance, np.float64))
    strange = graph.add("ReduceMean", scaled, axes=[1], keepdims=0)
    exponent = graph.constant(float(np.log(known.level)) / known.usual_strangeness**2, np.float64)
    sure = graph.add("Exp", graph.add("Mul", strange, exponent))
    graph.add("Cast", sure, name="confidence", to=TensorProto.FLOAT)
