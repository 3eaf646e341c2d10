"""Facts from attachments: which files are in the log, and the calibrations among them."""

from collections.abc import Iterable

from fieldloop.ingest.messages.calibration import find_calibrations, parse_json_or_yaml
from fieldloop.ingest.readers.mcap.attachments import Attached

SUFFIXES = (".json", ".yaml", ".yml", ".txt")


def collect_attachment_facts(attachments: Iterable[Attached]) -> dict[str, str]:
    """Return each attachment's media type, size and hash, and every camera's calibration found in a text."""
    facts: dict[str, str] = {}
    for file in attachments:
        facts[f"attachment.{file.name}"] = f"{file.media_type or 'unknown'}, {file.size} bytes, sha256 {file.sha256}"
        if file.content and (file.name.lower().endswith(SUFFIXES) or _is_text_type(file.media_type)):
            stem = file.name.rpartition("/")[2].rpartition(".")[0] or file.name
            calibrations = find_calibrations(parse_json_or_yaml(file.content), stem)
            facts |= {f"calibration.{camera}": text for camera, text in calibrations.items()}
    return facts


def _is_text_type(media_type: str) -> bool:
    return media_type.startswith("text/") or any(word in media_type for word in ("json", "yaml"))
