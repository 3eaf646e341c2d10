"""Recognise pointer files of Git LFS and git-annex, and state how to get the real file."""

from pathlib import Path

HEAD_BYTES = 64
HEADS = {
    b"version https://git-lfs": "this is a Git LFS pointer, not the file it stands for; run git lfs pull",
    b"/annex/objects/": "this is a git-annex pointer, not the file it stands for; run git annex get",
}
ANNEX = "annex/objects/"


def describe_pointer_file(path: Path) -> str:
    """Return what is in the file's place, '' where it is the file itself or nothing."""
    if path.is_symlink() and not path.exists():
        target = str(path.readlink())
        if ANNEX in target:
            return "this is a git-annex link to content that is not on this machine; run git annex get"
        return "this is a link to a file that is not there; download the dataset again"
    try:
        with path.open("rb") as file:
            return describe_pointer_bytes(file.read(HEAD_BYTES))
    except OSError:
        return ""


def describe_pointer_bytes(head: bytes) -> str:
    """Return what kind of pointer the first bytes are, '' where they are content."""
    return next((advice for mark, advice in HEADS.items() if head.startswith(mark)), "")
