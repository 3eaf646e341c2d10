"""Ways to hurt a log: bytes turned, cut, moved, blanked; numbers made hostile where a number stands."""

import re
import shutil
import struct

HOSTILE = (0, 1, 2, 0x7F, 0xFF, 0xFFFF, 0x10000, 2**31 - 1, 2**31, 2**32 - 1, 2**33, 2**40, 2**63 - 1, 2**63, 2**64 - 1)
HOSTILE_TEXTS = (
    b"0",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"null",
    b'"x"',
    b"[]",
    b"{}",
    b"true",
    b"NaN",
    b"\xff",
)
TEXT_SUFFIXES = {".json", ".jsonl", ".yaml"}


def mutate_log(source, target, random):
    """Copy a log to a place and hurt the copy; return in words what was done."""
    if source.is_file():
        data, done = _several(source.read_bytes(), random, text=False)
        target.write_bytes(data)
        return done
    files = [target / path.relative_to(source) for path in sorted(source.rglob("*")) if path.is_file()]
    for file in files:  # contents alone: the good log may be protected, its copy must not be
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / file.relative_to(target), file)
    victim = random.choice(files)
    name = victim.relative_to(target).as_posix()
    chance = random.random()
    if chance < 0.04:
        victim.unlink()
        return f"{name} removed"
    if chance < 0.07:
        victim.write_bytes(b"")
        return f"{name} emptied"
    if chance < 0.1:
        other = random.choice(files)
        victim.write_bytes(other.read_bytes())
        return f"{name} replaced by {other.relative_to(target).as_posix()}"
    data, done = _several(victim.read_bytes(), random, text=victim.suffix in TEXT_SUFFIXES)
    victim.write_bytes(data)
    return f"{name}: {done}"


def _several(data, random, *, text):
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        ways = (*WAYS, *(TEXT_WAYS * 3 if text else ()))
        way = random.choice(ways)
        if data:
            data, what = way(data, random)
            done.append(what)
    return data, "; ".join(done)


def _stretch(data, random):
    """Choose a stretch: short ones more often than long ones, ends and beginnings more often than the middle."""
    length = min(len(data), int(2 ** random.uniform(0, 14)))
    start = random.choice((random.randrange(len(data)), random.randrange(min(len(data), 512)), len(data) - length))
    return start, min(start + length, len(data))


def flip(data, random):
    hurt = bytearray(data)
    bits = random.choice((1, 1, 1, 8, 64))
    places = [random.randrange(len(data) * 8) for _ in range(bits)]
    for place in places:
        hurt[place // 8] ^= 1 << place % 8
    return bytes(hurt), f"{bits} bits turned, first at byte {places[0] // 8}"


def cut(data, random):
    at = random.randrange(len(data))
    return data[:at], f"cut at byte {at}"


def zero(data, random):
    start, end = _stretch(data, random)
    return data[:start] + bytes(end - start) + data[end:], f"bytes {start} to {end} blanked"


def remove(data, random):
    start, end = _stretch(data, random)
    return data[:start] + data[end:], f"bytes {start} to {end} removed"


def repeat(data, random):
    start, end = _stretch(data, random)
    return data[:end] + data[start:end] + data[end:], f"bytes {start} to {end} doubled"


def splice(data, random):
    start, end = _stretch(data, random)
    at = random.randrange(len(data))
    return data[:at] + data[start:end] + data[at + end - start :], f"bytes {start} to {end} put over byte {at}"


def hostile_number(data, random):
    """Put an extreme number where a small number stands: a length or a count, most likely."""
    form, width = random.choice((("<I", 4), (">I", 4), ("<Q", 8), (">Q", 8), ("<H", 2)))
    if len(data) < width:
        return data, "nothing"
    at = random.randrange(len(data) - width + 1)
    for _ in range(200):
        there = struct.unpack_from(form, data, at)[0]
        if 0 < there <= len(data):
            break
        at = random.randrange(len(data) - width + 1)
    value = random.choice((*HOSTILE, len(data), len(data) - at, at)) & ((1 << 8 * width) - 1)
    return data[:at] + struct.pack(form, value) + data[at + width :], f"{value} as {form} at byte {at}"


def hostile_text(data, random):
    """Replace one value of a JSON or YAML text."""
    values = list(re.finditer(rb'-?\d+(?:\.\d+)?|"[^"]*"|true|false|null', data))
    if not values:
        return data, "nothing"
    chosen, value = random.choice(values), random.choice(HOSTILE_TEXTS)
    return data[: chosen.start()] + value + data[chosen.end() :], f"{chosen[0][:30]!r} became {value!r}"


def nest(data, random):
    at = random.randrange(len(data))
    return data[:at] + random.choice((b"[", b"{")) * 20_000 + data[at:], f"20,000 brackets at byte {at}"


WAYS = (flip, flip, cut, zero, remove, repeat, splice, hostile_number, hostile_number)
TEXT_WAYS = (hostile_text, hostile_text, nest)
