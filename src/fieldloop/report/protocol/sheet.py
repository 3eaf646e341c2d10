"""From a protocol to the sheet of one control interface, or of all that are used."""

from collections.abc import Iterator, Mapping, Sequence

from fieldloop.errors import UnknownName
from fieldloop.model.taxonomy import Label
from fieldloop.protocol import CollectionProtocol, Interface, Synchronisation
from fieldloop.report.protocol.amounts import format_amount, format_limit
from fieldloop.report.protocol.content import Block, Facts, Grid, Lines, Part, Sheet
from fieldloop.say.numbers import format_number

MOTION = {
    "force.window": "Grip force",
    "adherence.lift_clearance": "Lift before you travel",
    "adherence.place_height": "Release height above the surface",
    "batch.approach_directions": "Approach from different sides, per batch",
    "batch.approach_diversity": "Angle between approaches, per batch",
}
RECORDING = {
    "adherence.pre_roll": "Scene at rest before you begin",
    "adherence.post_roll": "Scene at rest after you end",
    "adherence.duration": "The attempt itself",
}
TEAM = {
    "batch.operators": "Operators per variant",
    "batch.operator_share": "Share of a batch by one operator",
    "batch.balance": "Allowed deviation from the mix",
}
HELD_TO = {
    "tool_speed": "Speed of the tool",
    "turn_speed": "Rotation speed of the tool",
    "joint_speed": "Speed of any joint",
    "grasp_pause": "Stand still while the fingers close",
}
UNITS = {"force_torque": "N", "depth": "m", "pose": "m", "hand_pose": "m", "joint_position": "rad"}
NAMES = {"spacemouse": "SpaceMouse", "vr": "VR", "kinesthetic": "kinesthetic guiding"}


def make_operator_sheet(
    protocol: CollectionProtocol, interface: str = "", labels: Sequence[Label] = (), *, locked: bool = False
) -> Sheet:
    """Write a protocol's sheet; `labels` give the words of phases that the protocol leaves to the taxonomy."""
    used = _select_interfaces(protocol, interface)
    parts = [
        *(Part(f"With {_format_interface_name(one.name)}", tuple(_write_interface_blocks(one))) for one in used),
        Part("The motion", (_list_task_facts(protocol),)),
        Part("Recording", (_list_recording_facts(protocol),)),
        *([Part("When something unusual happens",
        tuple(_write_edge_case_scripts(protocol)))] if protocol.edge_cases else []),
        *([Part("Phases", (_make_phases_table(protocol, labels),),
        "in this order; a successful attempt has all of them")]
          if protocol.phases else []),
        *([Part("Cameras", (_make_cameras_table(protocol),), "mount each camera like this, within the tolerance")]
          if protocol.viewpoints else []),
        *([Part("Sensors and clocks", (_make_sensors_table(protocol),))] if protocol.sensors else []),
        Part("Team and batch", (_list_batch_facts(protocol),)),
    ]  # fmt: skip
    title = f"{protocol.version_name}{f' with {_format_interface_name(interface)}' if interface else ''}"
    return Sheet(title, _write_lead_sentence(protocol), tuple(parts), protocol.label, locked, interface)


def _select_interfaces(protocol: CollectionProtocol, interface: str) -> list[Interface]:
    if interface:
        if interface not in protocol.interfaces:
            raise UnknownName("control interface in this protocol", interface, protocol.interfaces)
        return [protocol.interfaces[interface]]
    return [protocol.interfaces[name] for name in protocol.setting("task.interfaces") if name in protocol.interfaces]


def _format_interface_name(interface: str) -> str:
    return NAMES.get(interface, interface.replace("_", " "))


def _write_lead_sentence(protocol: CollectionProtocol) -> str:
    start, end = (str(protocol.setting(name)).rstrip(".") for name in ("task.start", "task.end"))
    target = format_amount(float(protocol.setting("task.target_cycle_s")), "s")
    return f"Start: {start}. End: {end}. Aim for {target}; you qualify by this time."


def _list_task_facts(protocol: CollectionProtocol) -> Facts:
    return Facts(tuple(_list_limit_texts(protocol, MOTION)))


def _make_phases_table(protocol: CollectionProtocol, labels: Sequence[Label]) -> Grid:
    known = {label.name: label for label in labels}
    rows = []
    for number, phase in enumerate(protocol.phases, start=1):
        usual = known.get(phase.name)
        begins = phase.begins or (usual.begins if usual else "")
        rows.append((str(number), phase.name, begins, phase.ends or (usual.ends if usual else "")))
    return Grid(("", "phase", "begins", "ends"), tuple(rows))


def _write_interface_blocks(interface: Interface) -> Iterator[Block]:
    yield Lines(interface.steps, "Do", ordered=True)
    if interface.never:
        yield Lines(interface.never, "Never", prohibited=True)
    facts = [(HELD_TO[name], format_limit(limit)) for name, limit in interface.limits.items()]
    facts += [("Grip", interface.grip)] if interface.grip else []
    facts += [("When an attempt fails", interface.recovery)] if interface.recovery else []
    if facts:
        yield Facts(tuple(facts))


def _list_recording_facts(protocol: CollectionProtocol) -> Facts:
    kept = (
        "are kept and labelled; never delete a failed attempt"
        if protocol.setting("episode.failures_kept")
        else "are not kept"
    )
    return Facts(
        (
            ("Recording starts by", str(protocol.setting("episode.trigger"))),
            *_list_limit_texts(protocol, RECORDING),
            ("Failures", kept),
        )
    )


def _write_edge_case_scripts(protocol: CollectionProtocol) -> Iterator[Block]:
    for script in protocol.edge_cases.values():
        yield Lines(script.steps, f"{script.title.capitalize()}. {script.trigger}".strip(), ordered=True)
        if script.label:
            yield Facts((("Label to choose", script.label),))


def _make_cameras_table(protocol: CollectionProtocol) -> Grid:
    rows = []
    for name, view in protocol.viewpoints.items():
        place = [view.mounted]
        if view.position_m:
            place.append(
                f"At {', '.join(format_number(v, 6) for v in view.position_m)} m in the frame of {view.parent}."
            )
        limits = [f"± {format_number(view.tolerance_mm, 6)} mm" if view.tolerance_mm is not None else ""]
        limits += [f"± {format_number(view.tolerance_deg, 6)}°" if view.tolerance_deg is not None else ""]
        rows.append((name, " ".join(filter(None, place)), view.sees, ", ".join(filter(None, limits)) or "not stated"))
    return Grid(("camera", "where the camera is", "what the camera sees", "tolerance"), tuple(rows))


def _make_sensors_table(protocol: CollectionProtocol) -> Grid:
    rows = []
    for name, sensor in protocol.sensors.items():
        size = f"{sensor.width} × {sensor.height}" if sensor.width and sensor.height else ""
        asked = [f"{format_number(sensor.hz, 6)} a second" if sensor.hz else "", size]
        asked += [
            f"to {format_number(sensor.precision, 6)} {UNITS.get(sensor.kind, '')}".rstrip() if sensor.precision else ""
        ]
        asked += ["delicate" if sensor.delicate else "", "" if sensor.required else "optional"]
        rows.append(
            (
                name,
                sensor.kind.replace("_", " "),
                ", ".join(filter(None, asked)),
                *_describe_synchronisation(protocol.synchronisation.get(name)),
            )
        )
    return Grid(("stream", "kind", "required", "clock synchronised by", "verified"), tuple(rows))


def _describe_synchronisation(device: Synchronisation | None) -> tuple[str, str]:
    if device is None:
        return "not declared", "no"
    most = f", at most {format_number(device.max_offset_ms, 6)} ms" if device.max_offset_ms is not None else ""
    if device.verified is None:
        return f"{device.by.value}{most}", f"not yet. {device.how}".strip()
    return f"{device.by.value}{most}", f"{device.verified.day}: {format_number(device.verified.offset_ms, 6)} ms"


def _list_batch_facts(protocol: CollectionProtocol) -> Facts:
    mixes = [
        (
            f"Required mix, by {name}",
            ", ".join(f"{label} {format_number(100 * share, 6)} %" for label, share in asked.shares.items()),
        )
        for name, asked in protocol.balance.items()
    ]
    kept = TEAM if mixes else {name: words for name, words in TEAM.items() if name != "batch.balance"}
    return Facts((*mixes, *_list_limit_texts(protocol, kept)))


def _list_limit_texts(protocol: CollectionProtocol, words_by_limit: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, words in words_by_limit.items():
        if name in protocol.limits:
            yield words, format_limit(protocol.limits[name])
