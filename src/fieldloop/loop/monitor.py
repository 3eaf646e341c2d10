"""Watching production: every outcome, rates with intervals, alarms beyond chance."""

from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Watch
from fieldloop.model.codec import from_plain
from fieldloop.model.decision import Decision
from fieldloop.model.event import AlarmRaised, OutcomeRecorded
from fieldloop.model.policy import Outcome, Stage
from fieldloop.monitor import watch

SECONDS_A_DAY = 86_400
