"""Compare annotators on plain files of labels, without a workspace."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fieldloop.annotate.interchange import FileLabels, FrameBase, Reading, Span, Unit, make_annotations
from fieldloop.annotate.interchange.elan import Tiers
from fieldloop.annotate.interchange.start_lists import close_open_lists
from fieldloop.errors import BadInput, Refused
from fieldloop.ingest.readers.lerobot.labels import is_lerobot_folder
from fieldloop.loop.annotate.compare.annotators import Agreed, compare_spans, get_agree_settings, write_report
from fieldloop.loop.work.label_files import choose_rate, read_label_file
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S


def compare_label_files(
    workspace: Workspace | None,
    files: tuple[Path, ...],
    *,
    fps: float | None = None,
    frames_from: FrameBase | None = None,
    columns: str = "",
    tiers: Tiers | None = None,
    html: Path | None = None,
) -> Agreed:
    """Compare annotators on files of labels: CSV, start times, Label Studio, ELAN, TextGrid or LeRobot datasets.

    Each file is one annotator, unless it names annotators itself. A folder is one annotator with a file an episode,
    matched by name. Files without episodes describe the same one.

    Arguments:
        files: one file or folder for each annotator, or one file with several annotators
        fps: frames per second in which boundaries are counted; needed where some files count frames, others seconds
        frames_from: number of the first frame in files of Label Studio, 1 or 0
        columns: names of the columns of a table without a header, such as annotator,label,start,end
        tiers: what a tier of ELAN or Praat is (default: a kind of label; an author where there is one file)
        html: also write the report to this HTML file
    """
    names = tuple(name.strip() for name in columns.split(",")) if columns else ()
    stands_for = tiers or (Tiers.AUTHOR if len(files) == 1 else Tiers.KIND)
    most_mb = get_agree_settings(workspace).number("max_file_mb")
    reading = Reading(names, frames_from, stands_for)
    read = [_read_author(file, reading, most_mb) for file in files]
    remarks = tuple(remark for parts in read for part in parts for remark in part.remarks)
    named = _name_authors(files, read)
    hz, in_frames, assumed = _choose_or_assume_rate(workspace, [part for parts in read for part in parts], fps)
    closed = iter(close_open_lists([part for parts in named for part in parts]))
    spans = [(span, part.unit) for part in closed for span in part.spans]
    spans = _merge_names(spans)
    units = {Unit.NS: 1.0, Unit.FRAMES: NS_PER_S / hz}
    annotations = [a for span, unit in spans for a in make_annotations([span], units[unit])]
    _refuse_one_annotator({a.author for a in annotations}, files)
    edge_cases = {span.episode for span, _ in spans if span.edge_case}
    report = compare_spans(workspace, annotations, hz, edge_cases)
    shown = tuple(str(file) for file in files)
    return write_report(Agreed(report, shown, (*assumed, *remarks), in_frames), html)


def _read_author(file: Path, reading: Reading, most_mb: float) -> list[FileLabels]:
    """Read a file, or all files of a folder, each of which is an episode."""
    if not file.is_dir() or is_lerobot_folder(file):
        return [read_label_file(file, reading, most_mb)]
    inside = sorted(each for each in file.iterdir() if each.is_file() and not each.name.startswith("."))
    if not inside:
        raise BadInput(f"{file} is an empty folder.")
    parts = [read_label_file(each, reading, most_mb) for each in inside]
    return [
        replace(part, spans=tuple(replace(span, episode=span.episode or each.stem) for span in part.spans))
        for each, part in zip(inside, parts, strict=True)
    ]


def _name_authors(files: Sequence[Path], read: Sequence[list[FileLabels]]) -> list[list[FileLabels]]:
    """Give every span an author: as the file names it, else the file's own name, apart from those of the others."""
    stated = [{span.author for part in parts for span in part.spans} for parts in read]
    own = [_name_apart(file, files) for file in files]
    single = [next(iter(names)) if len(names) == 1 else "" for names in stated]
    named = []
    for parts, names, single_name, file_name in zip(read, stated, single, own, strict=True):
        unique = single_name if single_name and single.count(single_name) == 1 else file_name
        several = len(names) > 1
        named.append(
            [
                replace(part, spans=tuple(
                    replace(span, author=(span.author if several else unique) or file_name) for span in part.spans
                ))
                for part in parts
            ]
        )  # fmt: skip
    return named


def _name_apart(file: Path, files: Sequence[Path]) -> str:
    """Name a file by its stem, and by as much of its path as sets it apart.

    >>> _name_apart(Path("a/labels.csv"), [Path("a/labels.csv"), Path("b/labels.csv")])
    'a/labels'
    """
    path = file.resolve().with_suffix("")
    others = [other.resolve().with_suffix("") for other in files if other != file]
    for depth in range(1, len(path.parts)):
        name = "/".join(path.parts[-depth:])
        if all("/".join(other.parts[-depth:]) != name for other in others):
            return name
    return str(file)


def _choose_or_assume_rate(
    workspace: Workspace | None, parts: Sequence[FileLabels], fps: float | None
) -> tuple[float, bool, tuple[Note, ...]]:
    """Return the frame rate, whether seconds stay unknown, and what was assumed."""
    usual = get_agree_settings(workspace).number("frame_hz")
    units = {part.unit for part in parts}
    if (hz := choose_rate(parts, fps)) is not None:
        return hz, False, ()
    if units == {Unit.FRAMES}:
        return usual, True, ()
    if Unit.FRAMES in units:
        by_unit = {unit: next(part.name for part in parts if part.unit is unit) for unit in units}
        raise Refused(
            f"{by_unit[Unit.FRAMES]} counts frames, {by_unit[Unit.NS]} counts seconds. State the frame rate of the "
            "video with --fps, such as --fps 30."
        )
    return usual, False, (note("agree.frames_assumed", hz=usual),)


def _merge_names(spans: Sequence[tuple[Span, Unit]]) -> list[tuple[Span, Unit]]:
    """Let files without an episode mean the only named one; kinds that each author names differently become one."""
    episodes = {span.episode for span, _ in spans}
    only = next(iter(episodes - {""})) if len(episodes - {""}) == 1 else ""
    kinds: dict[str, set[str]] = {}
    for span, _ in spans:
        kinds.setdefault(span.author, set()).add(span.kind)
    one_each = all(len(names) == 1 for names in kinds.values()) and len(set().union(*kinds.values())) > 1
    return [
        (replace(span, episode=span.episode or only, kind=PHASE if one_each else span.kind), unit)
        for span, unit in spans
    ]  # fmt: skip


def _refuse_one_annotator(authors: set[str], files: Sequence[Path]) -> None:
    if len(authors) < 2:  # noqa: PLR2004 - agreement takes two
        listed = ", ".join(str(file) for file in files)
        raise BadInput(
            f"{listed}: only one annotator ({', '.join(authors) or 'none'}). Name a file of a second one, or a table "
            "with a column 'annotator'."
        )
