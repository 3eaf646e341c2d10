"""The packet table of an MP4 or MOV file, from its boxes alone: no packet is read, no picture decoded."""

from pathlib import Path

import numpy as np

from fieldloop.ingest.pictures.boxes import BODY, Box, Unusual, read_moov_box
from fieldloop.ingest.pictures.packets import Numbers, Packets, sort_packets_by_presentation

CODECS = {
    "avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "av01": "av1", "vp09": "vp9", "mp4v": "mpeg4",
}  # fmt: skip
SIZE_AT = 40  # width and height in the first entry of stsd
LONGEST_STEP = 1 << 28  # a longer one is a mistake that demuxers mend
MOST_PACKETS = 1 << 26
NORMAL_RATE = 1 << 16
UNREAD = ("stps", "sbgp", "stz2")  # they change which frames are key frames, or how sizes are written


def list_packets_by_boxes(path: Path) -> Packets:
    """List a video's packets; Unusual where a demuxer should be asked, ValueError with its place where it is broken."""
    moov, file_size = read_moov_box(path)
    if moov.find_box("mvex"):
        raise Unusual("it is fragmented")
    track = _find_video_track(moov)
    tables = track.require_box("mdia", "minf", "stbl")
    if any(child.kind in UNREAD for child in tables.list_children()):
        raise Unusual("its sample tables are of an unsupported kind")
    codec, size = _read_codec_and_size(tables.require_box("stsd"))
    timescale = _read_timescale(track.require_box("mdia", "mdhd"))
    sizes = _read_packet_sizes(tables.require_box("stsz"), file_size)
    positions = _compute_packet_positions(tables, sizes)
    pts = _compute_packet_times(tables, len(sizes))
    pts = pts - _compute_edit_shift(moov, track, timescale, pts)
    keys = _read_key_frame_mask(tables.find_box("stss"), len(sizes))
    there = (positions + sizes <= file_size) & (sizes > 0)  # what a cut file has lost is not listed
    return sort_packets_by_presentation(
        codec, size, (1, timescale), pts[there], sizes[there], keys[there], positions[there]
    )


def _find_video_track(moov: Box) -> Box:
    for child in moov.list_children():
        if child.kind == "trak":
            handler = child.require_box("mdia", "hdlr")
            if bytes(handler.data[8:12]) == b"vide":
                _require_packets_in_file(child)
                return child
    raise ValueError("it has no video stream")


def _require_packets_in_file(track: Box) -> None:
    references = track.find_box("mdia", "minf", "dinf", "dref")
    if references is None:
        return
    entries = Box(references.kind, references.at + BODY, references.data[BODY:]).list_children()
    if any(not entry.read_number(0) & 1 for entry in entries):
        raise Unusual("its packets are in another file")


def _read_codec_and_size(stsd: Box) -> tuple[str, tuple[int, int]]:
    if stsd.read_number(4) != 1:
        raise Unusual("it has several descriptions of its pictures, which is not supported")
    kind = bytes(stsd.data[12:16]).decode("latin-1")
    if kind not in CODECS:
        raise Unusual(f"{kind!r} is not a common codec")
    return CODECS[kind], (stsd.read_number(SIZE_AT, "H"), stsd.read_number(SIZE_AT + 2, "H"))


def _read_timescale(header: Box) -> int:
    scale = header.read_number(20 if header.read_number(0, "B") else 12)
    if not scale:
        raise ValueError(f"box {header.kind!r} at byte {header.at} states no timescale")
    return scale


def _read_packet_sizes(stsz: Box, file_size: int) -> Numbers:
    same, count = stsz.read_number(4), stsz.read_number(8)
    if same:
        if same * count > file_size or count > MOST_PACKETS:
            raise ValueError(f"box 'stsz' at byte {stsz.at} states {count} packets of {same} bytes in {file_size}")
        return np.full(count, same, np.int64)
    return stsz.read_table(1, ">u4", offset=12)[:, 0].astype(np.int64)


def _compute_packet_positions(tables: Box, sizes: Numbers) -> Numbers:
    """Packets lie one after the other in chunks; a table says where each chunk begins."""
    short = tables.find_box("stco")
    offsets = short.read_table(1, ">u4") if short else tables.require_box("co64").read_table(1, ">u8")
    begins = offsets[:, 0].astype(np.int64)
    box = tables.require_box("stsc")
    runs = box.read_table(3, ">u4").astype(np.int64)
    firsts = np.append(runs[:, 0] - 1, len(begins))
    spans = np.diff(firsts)
    if len(runs) and (firsts[0] != 0 or (spans < 0).any()):
        raise ValueError(f"box 'stsc' at byte {box.at} does not number the chunks in order")
    if int((runs[:, 1] * spans).sum()) != len(sizes) or (runs[:, 2] > 1).any():
        raise Unusual("the number of packets in its chunks differs from the number listed")
    counts = np.repeat(runs[:, 1], spans)
    before = np.cumsum(sizes) - sizes
    first_packet = np.minimum(np.cumsum(counts) - counts, max(len(sizes) - 1, 0))
    starts = begins - before[first_packet] if len(sizes) else begins[:0]
    positions: Numbers = np.repeat(starts, counts if len(sizes) else 0) + before
    return positions


def _compute_packet_times(tables: Box, count: int) -> Numbers:
    """Return when each packet is shown: steps add up to decoding times, offsets lead from there."""
    steps = tables.require_box("stts").read_table(2, ">u4").astype(np.int64)
    if int(steps[:, 0].sum()) != count or (steps[:, 1] > LONGEST_STEP).any():
        raise Unusual("its table of packet durations (stts) does not match the number of packets")
    durations = np.repeat(steps[:, 1], steps[:, 0])
    decoded: Numbers = np.cumsum(durations) - durations
    box = tables.find_box("ctts")
    if box is None:
        return decoded
    offsets = box.read_table(2, ">i4").astype(np.int64)
    if int(offsets[:, 0].sum()) != count or (offsets[:, 0] < 0).any():
        raise Unusual("its table of display offsets (ctts) does not match the number of packets")
    return decoded + np.repeat(offsets[:, 1], offsets[:, 0])


def _read_key_frame_mask(stss: Box | None, count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if stss is None:
        return np.ones(count, np.bool_)
    numbers = stss.read_table(1, ">u4")[:, 0].astype(np.int64) - 1
    if not len(numbers) or numbers.min() < 0 or numbers.max() >= count:
        raise Unusual("its list of key frames (stss) does not match the packets")
    keys = np.zeros(count, np.bool_)
    keys[numbers] = True
    return keys


def _compute_edit_shift(moov: Box, track: Box, timescale: int, pts: Numbers) -> int:
    """How much later does the file count than a player? Edits that leave frames out are the demuxer's business."""
    box = track.find_box("edts", "elst")
    if box is None or not len(pts):
        return 0
    wide = box.read_number(0, "B") == 1
    rows = box.read_table(1, "V20" if wide else "V12")[:, 0]
    fields = [("duration", ">u8"), ("media", ">i8"), ("rate", ">i4")]
    narrow = [("duration", ">u4"), ("media", ">i4"), ("rate", ">i4")]
    edits = rows.view(np.dtype(fields if wide else narrow))
    movie = moov.require_box("mvhd")
    movie_scale = movie.read_number(20 if movie.read_number(0, "B") else 12)
    empty = 0
    if len(edits) == 2 and edits["media"][0] == -1 and movie_scale:  # noqa: PLR2004 - a pause, then the one edit
        empty = int(edits["duration"][0]) * timescale // movie_scale
        edits = edits[1:]
    if len(edits) != 1 or not movie_scale or int(edits["rate"][0]) != NORMAL_RATE:
        raise Unusual("its edit list has several entries, which is not supported")
    start, length = int(edits["media"][0]), int(edits["duration"][0]) * timescale // movie_scale
    if start != int(pts.min()) or int(pts.max()) >= start + length:
        raise Unusual("its edit list leaves frames out, which is not supported")
    return start - empty
