"""Forms of the dashboard: fields, and a file where one was chosen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

from graphldp.collector.actions.communities import NewCommunity, asked_by
from graphldp.collector.http.route_table import FORM_BYTES
from graphldp.collector.rosters import Roster, bare, completed, read_roster
from graphldp.collector.settings import Settings
from graphldp.errors import FormatError, ParameterError

# RFC 2046's characters, and not one parameter more
_UPLOAD = re.compile(
    r"""multipart/form-data; ?boundary=("?)([0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-])\1""", re.IGNORECASE
)
_DISPOSITION = re.compile(
    rb'^content-disposition: ?form-data; ?name="([^"\r\n]*)"(?:; ?filename="([^"\r\n]*)")?\r?$',
    re.IGNORECASE | re.MULTILINE,
)
_MOST_FIELDS = 100
_PART_HEAD = 1000  # bytes
_LONG = "names"  # the one field that may be longer than a page's form
_CUT = "The upload was cut off. Nothing was done: send it again."


@dataclass(frozen=True)
class Form:
    """The values of each field, and the name and the bytes of each file."""

    values: Mapping[str, list[str]]
    files: Mapping[str, tuple[str, bytes]]

    def get(self, name: str) -> str:
        """What was filled in last, without the space around it; nothing for a field that is not there."""
        return self.values.get(name, [""])[-1].strip()

    def all(self, name: str) -> list[str]:
        """Every value of a field, such as of boxes that were ticked."""
        return [value.strip() for value in self.values.get(name, []) if value.strip()]

    def has(self, name: str) -> bool:
        """Whether a field was filled in, or a box ticked."""
        return bool(self.get(name))

    def number(self, name: str) -> float | None:
        """A field as a number; None where it is empty."""
        try:
            return float(self.get(name)) if self.has(name) else None
        except ValueError:
            raise ParameterError(f"The field '{name}' takes a number, such as 14.") from None


def parse_form(body: bytes, content_type: str, *, whole: bool = True) -> Form:
    """A form's body, as browsers write it.

    Args:
        body: as it arrived.
        content_type: of the request.
        whole: whether this is all of it; the fields that are complete are read otherwise.
    """
    values: dict[str, list[str]] = {}
    files: dict[str, tuple[str, bytes]] = {}
    if content_type.lower().startswith("multipart/"):
        for name, file, content in _parts(body, content_type, whole):
            if file is None:
                values.setdefault(name, []).append(content.decode("utf-8", "replace"))
            elif file:
                files[name] = file, content
    else:
        text = body.decode("utf-8", "replace")
        try:
            values = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise FormatError(f"A form has at most {_MOST_FIELDS} fields.") from None
    for name, given in values.items():
        if name != _LONG and any(len(value) > FORM_BYTES or "\0" in value for value in given):
            raise FormatError("A field is longer than its page lets it be, or holds what nobody can type.")
    return Form(values, files)


def _parts(body: bytes, content_type: str, whole: bool) -> Iterator[tuple[str, str | None, bytes]]:
    """The parts between the boundaries: what each is called, the name of its file if it is one, and its bytes."""
    found = _UPLOAD.fullmatch(content_type)
    if found is None:
        raise FormatError(_CUT)
    mark = b"\r\n--" + found[2].encode()
    at = len(mark) - 2
    if body[:at] != mark[2:]:
        raise FormatError(_CUT)
    for _ in range(_MOST_FIELDS):
        if body.startswith(b"--", at):
            return
        start = body.find(b"\r\n\r\n", at, at + _PART_HEAD)
        end = -1 if start < 0 else body.find(mark, start + 4)
        if end < 0 and not whole:
            return
        told = None if end < 0 else _DISPOSITION.search(body, at, start)
        if told is None:
            raise FormatError(_CUT)
        file = None if told[2] is None else told[2].decode("utf-8", "replace")
        yield told[1].decode("utf-8", "replace"), file, body[start + 4 : end]
        at = end + len(mark)
    raise FormatError(f"A form has at most {_MOST_FIELDS} fields.")


def opening_of(form: Form, settings: Settings) -> NewCommunity:
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
        _with_hosts(_roster(form), form),
        asked_by(settings, form.get("purpose"), form.get("operator"), form.get("contact")),
        sorted(set(epsilons)),
        mechanism=form.get("mechanism") or None,
        public=form.has("public"),
        name=form.get("name") or None,
        label=form.get("label") or None,
        retention_days=_days(form.get("retention")),
        keeps_models=not form.has("retention") or form.has("keeps_models"),
        witnesses=form.has("witnesses"),
    )


def _with_hosts(roster: Roster, form: Form) -> Roster:
    """The roster with hosts; a roster is frozen whose names will match no export only where somebody says so."""
    made = completed(roster, form.get("host") or None)
    if (found := bare(made)) and not form.has("bare"):
        raise ParameterError(
            f"{len(found):,} names have no host, such as '{found[0]}'. A list that a member exported from Mastodon has "
            "ann@social.example, and would match none of them. Give the host, or tick that your names have none."
        )
    return made


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
