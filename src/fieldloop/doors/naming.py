"""Write ids by their names while a use case runs and its result is shown; in errors, too."""

from collections.abc import Iterator
from contextlib import contextmanager

from fieldloop.errors import FieldloopError
from fieldloop.loop.home.names import Names
from fieldloop.loop.workspace import Workspace
from fieldloop.say.names import use_names
from fieldloop.say.numbers import shorten_ids


@contextmanager
def use_workspace_names(workspace: Workspace) -> Iterator[None]:
    """Use the names of a workspace meanwhile."""
    with use_names(Names(workspace)):
        try:
            yield
        except FieldloopError as wrong:
            if wrong.args and isinstance(wrong.args[0], str):
                wrong.args = (shorten_ids(wrong.args[0]), *wrong.args[1:])
            raise
