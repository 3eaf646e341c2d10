"""Events of annotation by people, in the past tense; `event.py` lists them with all others."""

from dataclasses import dataclass

from fieldloop.model.labelling import (
    Adjudication,
    CalibrationSet,
    LabelTask,
    Qualification,
    SavedLabels,
    SpotCheck,
    TaxonomyMigration,
)


@dataclass(frozen=True, slots=True)
class LabelsSaved:
    """A person saved a revision of their labels, as a draft or submitted."""

    saved: SavedLabels


@dataclass(frozen=True, slots=True)
class LabelTasksDealt:
    """Tasks of annotation were dealt."""

    tasks: tuple[LabelTask, ...]


@dataclass(frozen=True, slots=True)
class LabelTaskMoved:
    """A task of annotation was taken, given back, finished or withdrawn."""

    task: LabelTask


@dataclass(frozen=True, slots=True)
class CalibrationSetChosen:
    """A lead chose the episodes on which annotators qualify, and the labels that are right."""

    calibration: CalibrationSet


@dataclass(frozen=True, slots=True)
class AnnotatorJudged:
    """An annotator finished a calibration set and was judged."""

    qualification: Qualification


@dataclass(frozen=True, slots=True)
class LabelsSpotChecked:
    """A lead looked at labels of an annotator."""

    check: SpotCheck


@dataclass(frozen=True, slots=True)
class LabelsAdjudicated:
    """A lead decided between authors."""

    adjudication: Adjudication


@dataclass(frozen=True, slots=True)
class TaxonomyMigrated:
    """Labels were carried over to a new version of the taxonomy."""

    migration: TaxonomyMigration
