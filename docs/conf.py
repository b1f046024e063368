"""The site: `make docs` writes it to build/site. Pages are Markdown (MyST), so that they can be read where they lie."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests"), str(HERE.parent / "src")]

from softcount.version import VERSION  # noqa: E402

project, author, release, version = "softcount", "the softcount authors", VERSION, VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_design", "executed"]
templates_path = ["_templates"]
exclude_patterns = ["data", "_made", "_templates"]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 3
highlight_language = "none"
pygments_style = "default"

autodoc_typehints = "none"  # numpydoc's sections say them
autodoc_member_order = "bysource"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "softcount"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # else the theme complains to the console on a first visit
html_copy_source = False
html_theme_options = {
    "logo": {"text": "softcount"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def in_sections(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """A docstring that lists parameters without a heading (`name : what it is`) gets one, as numpydoc wants it."""
    first = next((i for i, line in enumerate(lines) if re.match(r"\*{0,2}\w[\w, *]* : ", line)), None)
    if first is None or any(re.fullmatch(r"-{3,}", line.strip()) for line in lines):
        return
    listed = [re.sub(r"^(\*{0,2}\w[\w, *]*) : (.*)", r"\1 :\n    \2", line) for line in lines[first:]]
    kind = "Attributes" if what == "attribute" else "Parameters"
    lines[first:] = ["", kind, "-" * len(kind), *"\n".join(listed).split("\n")]


def is_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """What scikit-learn gives to every estimator is documented there."""
    return True if str(getattr(obj, "__module__", "")).startswith("sklearn") else None


def setup(app: Any) -> None:
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("autodoc-process-docstring", in_sections, priority=1)
