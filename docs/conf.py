"""The documentation site. ``make docs`` builds it into build/site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))  # reference.py, which fills the pages of reference/

import graphldp

project = "graphldp"
author = "The graphldp developers"
release = version = graphldp.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_nb",
    "sphinx_copybutton",
    "reference",
]
exclude_patterns = ["results", "schema"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

nb_execution_mode = "off"

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {"inherited-members": True, "member-order": "bysource"}
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = "graphldp"
html_theme_options = {
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "navigation_depth": 3,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sphinx = False
html_show_sourcelink = False
