"""From the form that opens a community to what it is opened with."""

from __future__ import annotations

import re
import unicodedata

from graphldp.collector.actions.communities import NewCommunity
from graphldp.collector.communities.rosters import Roster, read_roster
from graphldp.collector.dashboard.forms import Form
from graphldp.errors import FormatError, ParameterError


def opening_of(form: Form) -> NewCommunity:
    """What a community is to be opened with."""
    epsilons = []
    for text in [*form.all("epsilon"), *form.get("other").replace(",", ".").split()]:
        try:
            epsilons.append(float(text))
        except ValueError:
            raise ParameterError("An ε must be a number, such as 1.5.") from None
    if not epsilons:
        raise ParameterError("Choose an ε, or more than one for your members to choose from.")
    return NewCommunity(
        _roster(form),
        sorted(set(epsilons)),
        mechanism=form.get("mechanism") or None,
        public=form.has("public"),
        name=form.get("name") or None,
        label=form.get("label") or None,
        retention_days=_days(form.get("retention")),
        keeps_models=not form.has("retention") or form.has("keeps_models"),
    )


def _days(text: str) -> int | None:
    """A number of days; None where none was given."""
    if text and not (text.isascii() and text.isdigit() and len(text) < 9):
        raise ParameterError("Reports are deleted after a whole number of days, such as 90.")
    return int(text) if text else None


def _roster(form: Form) -> Roster:
    groups, pasted = form.get("groups") or None, form.get("names")
    if "file" in form.files:
        if pasted:
            raise FormatError("There is a file, and names were pasted too. Give one of them.")
        name, content = form.files["file"]
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FormatError("The file is not text in UTF-8. Save it again as CSV in UTF-8.") from None
        return read_roster(text, "The file", table=name.lower().endswith(".csv"), groups=groups)
    if not pasted:
        raise FormatError("There are no names: choose a file, or paste them.")
    return read_roster(pasted, "The names", table=form.get("paste") == "csv", groups=groups)


def id_from(name: str) -> str:
    """An id made from a name, as far as it has letters for one."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9]+", "-", plain)[:64].strip("-")
    if not made:
        raise ParameterError("Give the community an id: lower-case letters, digits and hyphens.")
    return made
