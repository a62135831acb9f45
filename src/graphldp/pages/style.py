"""The colours and type of pages and pictures, light and dark."""

from __future__ import annotations

from graphldp.experiments.plans.methods import METHODS
from graphldp.mechanisms.named import SPARE, Colour, mechanisms, spare_place

_CLASSES = {
    "class-0": ("#0b5fff", "#6ea8ff"),
    "class-1": ("#b65c02", "#f5b14c"),
    "class-2": ("#00796b", "#4fd1b8"),
    "class-3": ("#ad1480", "#f58ad0"),
    "class-4": ("#3c4450", "#c6ccd6"),
}
_LINES = (
    ("#c9372c", "#ff8f85"),
    ("#0b5fff", "#6ea8ff"),
    ("#b65c02", "#f5b14c"),
    ("#00796b", "#4fd1b8"),
    ("#ad1480", "#f58ad0"),
    ("#7a3fd1", "#b794f6"),
    ("#3c4450", "#c6ccd6"),
    ("#8a94a3", "#8a94a3"),
)
LINES = tuple(f"line-{place}" for place in range(len(_LINES)))
"""The lines of a picture that is not about mechanisms, by their place in it."""

_BASE = {
    "paper": ("#ffffff", "#14171c"),
    "ink": ("#1b2027", "#e8ebf0"),
    "soft": ("#5a6472", "#9aa5b4"),
    "rule": ("#d9dee5", "#343b46"),
    "wash": ("#f4f6f9", "#1d222a"),
    "warn": ("#fff4dc", "#3a2f14"),
    "brand": ("#0f5c4d", "#5fd0b6"),
}


def colours() -> dict[str, Colour]:
    """The colours of all series: of mechanisms, ours and those that were registered, and of everything else."""
    spare = {_spare(place): colour for place, colour in enumerate(SPARE)}
    methods = {each.name: each.colour for each in mechanisms()} | {name: m.colour for name, m in METHODS.items()}
    return methods | _CLASSES | dict(zip(LINES, _LINES, strict=True)) | spare


def slot(series: str) -> str:
    """The CSS variable of a series: its own, or one of a few spare ones that its name decides."""
    return series if series in colours() else _spare(spare_place(series))


def _spare(place: int) -> str:
    return f"spare-{place}"


def variables() -> str:
    """Every colour as a CSS variable, for light and for dark."""
    light, dark = [], []
    for name, (one, two) in (_BASE | colours()).items():
        light.append(f"--{name}:{one};")
        dark.append(f"--{name}:{two};")
    at_night = f"@media(prefers-color-scheme:dark){{:root{{{''.join(dark)}}}}}"
    return f":root{{color-scheme:light dark;{''.join(light)}}}{at_night}"


PICTURE = """
svg.chart{display:block;width:100%;height:auto;font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
svg.chart text{fill:var(--ink)}
svg.chart .tick{fill:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
svg.chart .grid{stroke:var(--rule);stroke-width:1;shape-rendering:crispEdges}
svg.chart .axis{stroke:var(--soft);stroke-width:1;shape-rendering:crispEdges}
svg.chart .line{fill:none;stroke-width:2;stroke-linejoin:round}
svg.chart .bar{stroke-width:1.5}
svg.chart .band{stroke:none;opacity:.16}
svg.chart .dot{opacity:.45;stroke:none}
svg.chart .near{fill:transparent;stroke:transparent;stroke-width:10}
svg.chart circle.near{stroke:none}
svg.chart .point:hover .mark{stroke:var(--ink);stroke-width:2}
svg.chart .point:hover .line{stroke-width:3.5}
"""

PAGE = """
*{box-sizing:border-box}
body{margin:0;background:var(--wash);color:var(--ink);border-top:6px solid var(--brand)}
body{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 20px 64px}
h1,h2{font-family:"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif;font-weight:600;letter-spacing:-.01em}
h1{font-size:2rem;line-height:1.2;margin:0 0 .4em}
h2{font-size:1.35rem;line-height:1.3;margin:0 0 .2em}
h3{font-size:1rem;margin:1.6em 0 .5em}
section{background:var(--paper);border:1px solid var(--rule);border-radius:12px;padding:22px 24px;margin:22px 0}
p{max-width:70ch;margin:.5em 0}
h1,h2,p,nav{overflow-wrap:anywhere}
a{color:var(--brand)}
.mark-of{display:flex;align-items:center;gap:9px;font-weight:650;color:var(--brand);margin:0 0 18px}
.mark-of svg{width:26px;height:26px}
.soft{color:var(--soft)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:1.4em 0}
.facts div{background:var(--paper);border-left:3px solid var(--brand);border-radius:4px;padding:10px 14px}
.facts b{display:block;font-size:1.35rem;line-height:1.3;font-variant-numeric:tabular-nums}
.facts span{color:var(--soft);font-size:.85rem}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:20px 28px;margin:1em 0}
.tables{display:flex;flex-wrap:wrap;gap:0 48px}
.tables>div{min-width:0;max-width:100%}
figure{margin:0;min-width:0}
figcaption{font-weight:600;font-size:.92rem;margin-bottom:.3em}
.scroll{overflow-x:auto;margin:.6em 0}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;min-width:min(100%,340px)}
th,td{padding:6px 14px 6px 0;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap;vertical-align:top}
th{color:var(--soft);font-weight:600}
td b{color:var(--brand)}
tbody tr:hover{background:var(--wash)}
td:first-child,th:first-child{text-align:left}
th.text{text-align:left}
td.text{text-align:left;white-space:normal;min-width:16ch;max-width:60ch}
td small{color:var(--soft)}
.note{background:var(--warn);border-radius:8px;padding:10px 14px;margin:1em 0;max-width:75ch;font-size:.93rem}
nav ul{columns:2 300px;padding-left:1.1em;margin:.6em 0}
nav li{break-inside:avoid}
@media(max-width:560px){main{padding:18px 12px 48px}section{padding:16px 14px}h1{font-size:1.5rem}body{font-size:15px}}
@media print{.scroll{overflow:visible}section{border:0;padding:0}h2{break-after:avoid}figure,tr{break-inside:avoid}}
"""

BRAND = (
    '<p class="mark-of"><svg viewBox="0 0 26 26" aria-hidden="true" fill="none" stroke="currentColor" '
    'stroke-width="2"><path d="M6 7L19 6M6 7L9 20M19 6L9 20" stroke-dasharray="2.5 2.5"/>'
    '<g fill="currentColor" stroke="none"><circle cx="6" cy="7" r="3.6"/><circle cx="19" cy="6" r="3.6"/>'
    '<circle cx="9" cy="20" r="3.6"/></g></svg>graphldp</p>'
)
"""Three users, and friendships that nobody is sure of."""
