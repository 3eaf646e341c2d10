"""`fieldloop demo`: run the whole loop on a simulated floor, report its numbers, then serve its pages."""

from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from fieldloop.cli.arguments import Parser, add_common_options, get_workspace_folder
from fieldloop.cli.choose import OWN
from fieldloop.cli.progress import track_progress
from fieldloop.cli.screen import Screen
from fieldloop.cli.up import add_address_options, serve_workspace
from fieldloop.loop.catalogue import Needs

FOLDER = Path("demo-workspace")


def run_demo(arguments: Sequence[str]) -> int:
    """Run the loop, report each step, then serve the pages unless --no-serve is given."""
    parser = Parser(prog="fieldloop demo", description=OWN["demo"], allow_abbrev=False)
    parser.add_argument(
        "--seed",
        type=int,
        default=100,
        help="seed of the demo; another seed gives other numbers but the same sequence of events",
    )
    parser.add_argument("--no-serve", action="store_true", help="exit after the run instead of serving the pages")
    add_address_options(parser)
    add_common_options(parser, Needs.NOTHING)
    parsed = parser.parse(arguments)
    folder, named = get_workspace_folder(parsed)
    root = folder if named else _find_next_free_folder(FOLDER)
    screen = Screen()
    from fieldloop.loop.floor.demo import demo as walk

    quiet = parsed.json
    story = walk(root, seed=parsed.seed, track=track_progress, tell=(lambda *_: None) if quiet else screen.write)
    if quiet:
        from fieldloop.doors.written import write_json_text

        screen.write(write_json_text(story))
    else:
        from fieldloop.cli.render import show_result

        show_result(story, screen)
    if parsed.no_serve:
        return 0
    return serve_workspace(root, parsed.host, parsed.port, open_browser=parsed.open)


def _find_next_free_folder(folder: Path) -> Path:
    """Append the next free number where the demo ran before: every run has a workspace of its own."""
    candidates = chain([folder], (folder.with_name(f"{folder.name}-{n}") for n in count(2)))
    return next(candidate for candidate in candidates if not candidate.exists())
