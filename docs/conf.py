"""The documentation site. ``make docs`` builds it into build/site."""

import hashlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where tools is, which fills the pages of reference/

import graphldp

# notebooks call commands of this environment, and as many run at a time as there are cores
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
os.environ["OMP_NUM_THREADS"] = "1"

ROOT = Path(__file__).parents[1]

project = "graphldp"
author = "The graphldp developers"
release = version = graphldp.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_nb",
    "sphinx_copybutton",
    "tools.reference.extension",
]
exclude_patterns = ["conf.py", "results", "schema"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_fence_as_directive = ["math"]  # as GitHub shows formulas, too
myst_heading_anchors = 4

# Tutorials and the gallery are scripts with a comment before each cell. Each is executed as the notebook that it makes,
# and again where it or the package has changed.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
_code = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((ROOT / "src").rglob("*.py"))))
nb_execution_mode = "cache"
# kernels read nobody's own configuration, and do not warn that this machine can listen to itself
_profile = ROOT / "build" / "ipython" / "profile_default"
_profile.mkdir(parents=True, exist_ok=True)
(_profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 'ERROR'\n", "utf-8")
os.environ["IPYTHONDIR"] = str(_profile.parent)
nb_execution_cache_path = str(ROOT / "build" / "notebooks" / _code.hexdigest()[:16])
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 900

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {"inherited-members": True, "member-order": "bysource"}
napoleon_use_ivar = True

# one file, with its fonts: formulas need no network
html_static_path = ["../tools/site/node_modules/mathjax/es5/tex-svg.js", "../tools/site/site.css"]
html_css_files = ["site.css"]
mathjax_path = "tex-svg.js"

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
