"""Decode ROS 2 messages (CDR) by the schema that the log carries; alike messages are decoded all at once."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fieldloop.ingest.messages import cdr_table
from fieldloop.ingest.messages.decoded import Decoded
from fieldloop.ingest.messages.ros_types import ARRAYS, JOINT_STATE, LAYOUTS, flatten, stamp_of

PARTS = (("", "position"), ("velocity", "velocity"), ("effort", "effort"))


@lru_cache(maxsize=256)  # logs of one robot share their types, and a type costs some ten milliseconds
def decoder_for(name: str, encoding: str, text: str) -> "Ros2Decoder":
    """Return the decoder of a type; ValueError where the schema cannot be understood."""
    return Ros2Decoder(name, encoding, text)


class Ros2Decoder:
    """Decodes one message type. Making one raises ValueError where the schema cannot be understood."""

    def __init__(self, name: str, encoding: str, text: str) -> None:
        from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_types_from_msg, get_typestore

        self.name = name
        self._store = get_typestore(Stores.EMPTY)
        try:
            types = get_types_from_msg(text, name) if encoding == "ros2msg" else get_types_from_idl(text)
            self._store.register(types)
        except (TypesysError, KeyError, ValueError, SyntaxError) as wrong:
            raise ValueError(f"schema {name} cannot be understood: {' '.join(str(wrong).split())[:120]}") from wrong

    def message(self, payload: bytes) -> Any:
        """Decode one message; ValueError where its bytes do not fit its type."""
        try:
            return self._store.deserialize_cdr(payload, self.name)
        except Exception as wrong:  # the generated code raises whatever the broken bytes lead it to
            raise ValueError(f"{type(wrong).__name__}: {wrong}") from wrong

    def __call__(self, payloads: Sequence[bytes]) -> Decoded:
        """Decode a batch: in one go where all messages are laid out alike, else one by one."""
        if self.name in LAYOUTS and (table := cdr_table.plain(payloads, LAYOUTS[self.name])):
            return table
        if self.name == JOINT_STATE and (table := cdr_table.joints(payloads)):
            return table
        return self._one_by_one(payloads)

    def _one_by_one(self, payloads: Sequence[bytes]) -> Decoded:
        decoded = Decoded([])
        for index, payload in enumerate(payloads):
            try:
                message = self.message(payload)
                stamp, frame = stamp_of(message)
                self._rows(message, index, decoded)
            except ValueError as wrong:
                decoded.stamps_ns.append(None)
                decoded.failures.append((index, str(wrong)))
                continue
            decoded.stamps_ns.append(stamp)
            decoded.frame_id = decoded.frame_id or frame
        return decoded

    def _rows(self, message: Any, index: int, decoded: Decoded) -> None:
        if self.name == JOINT_STATE:
            names = tuple(message.name)
            for suffix, field in PARTS:
                values = np.asarray(getattr(message, field), np.float64)
                if len(values) and names and len(values) != len(names):
                    raise ValueError(f"{len(names)} names, but {len(values)} values of {field}")
                if len(values):
                    decoded.add(suffix, names or tuple(f"{field}[{i}]" for i in range(len(values))), index, values)
            return
        if self.name in ARRAYS:
            values = np.asarray(message.data, np.float64)
            decoded.add("", tuple(f"[{i}]" for i in range(len(values))), index, values)
            return
        flat = list(flatten(message, decoded.left_out))
        if self.name in LAYOUTS:
            layout = LAYOUTS[self.name]
            decoded.add("", layout.columns, index, [flat[pick][1] for pick in layout.picks])
        elif flat:
            decoded.add("", tuple(name for name, _ in flat), index, [value for _, value in flat])
