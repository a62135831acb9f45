"""The documentation site. ``make docs`` builds it into build/site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where tools is, which fills the pages of reference/

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
    "tools.reference.extension",
]
exclude_patterns = ["conf.py", "results", "schema"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# tutorials are scripts with a comment before each cell; each is executed as the notebook that it makes
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300

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
