"""The one palette: every colour by its token, for the light and the dark theme. Style sheets and plots read it."""

LIGHT = {
    "bg": "#f5f6f7", "surface": "#ffffff", "sunken": "#eef0f2", "line": "#dce0e5", "line-2": "#bcc4cd",
    "ink": "#14181d", "ink-2": "#46515d", "ink-3": "#5f6b78",
    "accent": "#2456c7", "accent-soft": "#e6edfb", "on-accent": "#ffffff",
    "good": "#0b6e4f", "good-soft": "#e0f2ea", "warn": "#8a5600", "warn-soft": "#fbf0d9",
    "bad": "#b42a17", "bad-soft": "#fce8e4", "idle": "#5f6b78",
    "c1": "#2563c9", "c2": "#b3540a", "c3": "#0c7a6b", "c4": "#9d2f7c", "c5": "#6a6300", "c6": "#56606b",
    "under-3": "#b3540a", "under-2": "#e39a5c", "under-1": "#f6d9bd", "even": "#eef0f2",
    "over-1": "#c5d8f4", "over-2": "#7fa6e2", "over-3": "#2563c9",
    "ph-0": "#dfe5ec", "ph-1": "#c5d6f2", "ph-2": "#f5d9b8", "ph-3": "#c3e5d8",
    "ph-4": "#d9d2ee", "ph-5": "#f3d3de", "ph-6": "#e4e3b4", "ph-7": "#d3dae0",
    "stage": "#0b0d0f", "on-stage": "#e7ebee", "stage-bad": "#5f1a10",
    "shadow": "0 8px 24px rgb(16 24 32 / .14)",
}  # fmt: skip
DARK = {
    "bg": "#0d1013", "surface": "#14181c", "sunken": "#1b2025", "line": "#282f36", "line-2": "#424c56",
    "ink": "#e7ebee", "ink-2": "#aeb9c4", "ink-3": "#8b97a4",
    "accent": "#86aaff", "accent-soft": "#1b2a4a", "on-accent": "#0b1220",
    "good": "#43c598", "good-soft": "#10291f", "warn": "#e6ad45", "warn-soft": "#2e240e",
    "bad": "#ff8471", "bad-soft": "#381a15", "idle": "#8b97a4",
    "c1": "#6f9dff", "c2": "#f0a35e", "c3": "#3fc4ae", "c4": "#e48cc8", "c5": "#c9c24a", "c6": "#98a3ae",
    "under-3": "#e08a3c", "under-2": "#8f5826", "under-1": "#4a3420", "even": "#1f252b",
    "over-1": "#1f3357", "over-2": "#2f559c", "over-3": "#6f9dff",
    "ph-0": "#2a323a", "ph-1": "#23385f", "ph-2": "#50361a", "ph-3": "#17423a",
    "ph-4": "#38305c", "ph-5": "#4d2637", "ph-6": "#3f3d16", "ph-7": "#323a42",
    "stage": "#0b0d0f", "on-stage": "#e7ebee", "stage-bad": "#5f1a10",
    "shadow": "0 8px 24px rgb(0 0 0 / .5)",
}  # fmt: skip


def write_theme_css(dark_selector: str, *, by_media: bool = False) -> str:
    """Write both themes as CSS; `dark_selector` selects the dark one, or is the media query under which it applies.

    >>> write_theme_css(":root[data-theme=dark]").startswith(":root { color-scheme: light; --bg: #f5f6f7;")
    True
    """
    light = f":root {{ color-scheme: light; {write_css_properties(LIGHT)} }}\n"
    other = f"color-scheme: dark; {write_css_properties(DARK)}"
    return light + (
        f"@media {dark_selector} {{ :root {{ {other} }} }}\n" if by_media else f"{dark_selector} {{ {other} }}\n"
    )


def write_css_properties(theme: dict[str, str]) -> str:
    """Write a theme as CSS custom properties.

    >>> write_css_properties({"ink": "#000000", "bg": "#ffffff"})
    '--ink: #000000; --bg: #ffffff;'
    """
    return " ".join(f"--{name}: {value};" for name, value in theme.items())
