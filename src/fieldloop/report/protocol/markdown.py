"""A sheet as Markdown, for terminals and repositories."""

from collections.abc import Iterator

from fieldloop.report.protocol.content import Block, Facts, Grid, Sheet


def render_markdown(sheet: Sheet) -> str:
    """Return the sheet as Markdown."""
    return "\n".join(_write_sheet_lines(sheet)) + "\n"


def _write_sheet_lines(sheet: Sheet) -> Iterator[str]:
    yield f"# {sheet.title}"
    yield ""
    yield sheet.lead
    for part in sheet.parts:
        yield ""
        yield f"## {part.title}"
        if part.note:
            yield f"{part.note[:1].upper()}{part.note[1:]}."
        for block in part.blocks:
            yield ""
            yield from _write_block(block)
    yield ""
    yield sheet.foot


def _write_block(block: Block) -> Iterator[str]:
    if isinstance(block, Facts):
        yield from (f"- {name}: {value}" for name, value in block.pairs)
    elif isinstance(block, Grid):
        yield f"| {' | '.join(block.columns)} |"
        yield f"|{'---|' * len(block.columns)}"
        yield from (f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in block.rows)
    else:
        if block.heading:
            yield f"**{block.heading}**"
            yield ""
        for number, line in enumerate(block.lines, start=1):
            yield f"{number}. {line}" if block.ordered else f"- {line}"
