"""Scripts that only another library's venv can import are no tests here."""

collect_ignore = [
    "lerobot_drives.py",
    "lerobot_reads.py",
    "lerobot_writes_policy.py",
    "openpi_episode.py",
    "triton_infers.py",
]
