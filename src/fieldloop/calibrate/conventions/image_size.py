"""Whether intrinsics belong to pictures of this size; poses from another size are off by the ratio."""

from fieldloop.model.note import Note, note

Size = tuple[int, int]


def compare_image_sizes(intrinsics_size: Size, picture_size: Size) -> Note | None:
    """Return what is wrong where the two sizes differ, with the remedy; None where they agree.

    >>> compare_image_sizes((1280, 720), (640, 360)).details[0]["factor"]
    0.5
    >>> compare_image_sizes((640, 480), (640, 480))
    """
    if intrinsics_size == picture_size:
        return None
    (wide, high), (picture_wide, picture_high) = intrinsics_size, picture_size
    if min(*intrinsics_size, *picture_size) < 1:
        remedy = note("calibrate.empty_picture")
    elif wide * picture_high != high * picture_wide:
        remedy = note("calibrate.cropped", width=picture_wide, height=picture_high)
    else:
        remedy = note("calibrate.rescale", factor=picture_wide / wide, width=picture_wide, height=picture_high)
    return note(
        "calibrate.other_size", remedy, width=wide, height=high, picture_width=picture_wide, picture_height=picture_high
    )
