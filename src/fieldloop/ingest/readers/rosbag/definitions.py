"""Definitions of ROS 2 message types where a bag has none: those of a ROS release."""

from dataclasses import replace
from functools import cache
from typing import Any

from fieldloop.ingest.messages.arrived import Described
from fieldloop.ingest.messages.decoders import choose_reading
from fieldloop.ingest.messages.ros_types import format_ros2_type_name
from fieldloop.model.note import Note, note

ORDER = ("humble", "galactic", "foxy", "jazzy", "kilted", "iron", "lyrical")
"""Bags carry their types since Iron: one without was most likely made by an earlier release."""

SCHEMAS = ("ros2msg", "ros2idl")  # recorders write "unknown" where they did not find a definition


@cache
def look_up_definition(type_: str, distribution: str) -> tuple[str, str]:
    """Return the definition of one of ROS's own types and the release it is of; two empty texts where there is none.

    The first releases of ROS 2 wrote types without `/msg/`, as ROS 1 does.
    """
    name = format_ros2_type_name(type_)
    for release in dict.fromkeys((distribution, *ORDER)):
        store = _load_typestore(release)
        if store is not None and name in store.fielddefs:
            return str(store.generate_msgdef(name, ros_version=2)[0]), release
    return "", ""


@cache
def _load_typestore(release: str) -> Any:
    from rosbags.typesys import Stores, get_typestore

    name = f"ROS2_{release.upper()}"
    return get_typestore(Stores[name]) if name in Stores.__members__ else None


def choose_definition(
    described: Described, payload: bytes | memoryview, distribution: str
) -> tuple[Described, Note | None]:
    """Return the right definition of a type, and a defect where the bag's is wrong.

    Tools that convert bags have written definitions that are cut off. ROS's own is taken where it fits a message that
    the bag's does not fit.
    """
    if described.schema_encoding not in SCHEMAS or _definition_fits(described, payload):
        return described, None
    text, release = look_up_definition(described.type, distribution)
    other = replace(described, schema_encoding="ros2msg", schema=text.encode())
    if not text or not _definition_fits(other, payload):
        return described, None
    text_note = f"the bag's definition of the type is wrong; read as in ROS 2 {release.title()}"
    complaint = note("ingest.definition_wrong", type=described.type, release=release.title())
    return replace(other, metadata={**described.metadata, "definition": text_note}), complaint


def _definition_fits(described: Described, payload: bytes | memoryview) -> bool:
    reading = choose_reading(described)
    try:
        if reading.pictures:
            reading.pictures.read_head(payload)
        elif reading.message:
            reading.message(bytes(payload))
    except ValueError:
        return False
    return not reading.note


def fill_in_definition(described: Described, distribution: str) -> Described:
    """Fill in the definition of a type where the bag has none, with a note."""
    if described.schema_encoding in SCHEMAS:
        return described
    text, release = look_up_definition(described.type, distribution)
    if not text:
        missing = "the bag does not define the type, and it is not one of ROS's own"
        return replace(described, metadata={**described.metadata, "definition": missing})
    text_note = f"the bag does not define the type; read as in ROS 2 {release.title()}"
    return replace(
        described,
        schema_encoding="ros2msg",
        schema=text.encode(),
        metadata={**described.metadata, "definition": text_note},
    )
