"""Do the intrinsics belong to pictures of this size? Poses from intrinsics of another size are off by the ratio."""

Size = tuple[int, int]


def wrong_size(intrinsics_size: Size, picture_size: Size) -> str:
    """Say what is wrong where the two sizes differ, and what would put it right; empty where they agree.

    >>> wrong_size((1280, 720), (640, 360))[-75:]
    'Multiply fx, fy, cx and cy by 0.5, or calibrate with pictures of 640 × 360.'
    >>> wrong_size((640, 480), (640, 480))
    ''
    """
    if intrinsics_size == picture_size:
        return ""
    (wide, high), (picture_wide, picture_high) = intrinsics_size, picture_size
    said = f"The intrinsics are of {wide} × {high} pictures, these are {picture_wide} × {picture_high}."
    again = f"calibrate with pictures of {picture_wide} × {picture_high}."
    if min(*intrinsics_size, *picture_size) < 1:
        return f"{said} A picture has at least one pixel."
    if wide * picture_high != high * picture_wide:
        return f"{said} Their shapes differ, so the picture was cut as well as scaled: {again[0].upper()}{again[1:]}"
    return f"{said} Multiply fx, fy, cx and cy by {picture_wide / wide:g}, or {again}"
