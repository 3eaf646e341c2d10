"""Labels from and for other tools: tables, start-time lists, Label Studio, ELAN and Praat; text in, text out."""

from fieldloop.annotate.interchange.recognise import FrameBase, Reading, read_label_rows, read_labels
from fieldloop.annotate.interchange.spans import FileLabels, Span, StatedResult, Unit, make_annotations
from fieldloop.annotate.interchange.write_csv import write_csv
from fieldloop.annotate.interchange.write_elan import write_elan
from fieldloop.annotate.interchange.write_label_studio import write_label_studio

__all__ = [
    "FileLabels",
    "FrameBase",
    "Reading",
    "Span",
    "StatedResult",
    "Unit",
    "make_annotations",
    "read_label_rows",
    "read_labels",
    "write_csv",
    "write_elan",
    "write_label_studio",
]
