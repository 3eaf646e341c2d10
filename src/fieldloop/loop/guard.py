"""What keeps a policy from acting when it should not."""

from dataclasses import dataclass

from fieldloop.loop.ingest import reopen
from fieldloop.loop.train import named, open_bundle
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
