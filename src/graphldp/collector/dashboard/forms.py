"""What a form brings: fields, and a file where one was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from urllib.parse import parse_qs

from graphldp.errors import FormatError, ParameterError

_FILES = "multipart/form-data"


@dataclass(frozen=True)
class Form:
    """What was filled in.

    Args:
        values: of each field, all of them.
        files: what each chosen file is called, and its bytes.
    """

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
        """A field as a number; None where it is empty.

        Raises:
            ParameterError: for anything else.
        """
        try:
            return float(self.get(name)) if self.has(name) else None
        except ValueError:
            raise ParameterError(f"The field '{name}' takes a number, such as 14.") from None


def parse_form(body: bytes, content_type: str) -> Form:
    """A form's body, as browsers write it.

    Raises:
        FormatError: for one with files that does not end as it says.
    """
    if not content_type.startswith(_FILES):
        return Form(parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True), {})
    values: dict[str, list[str]] = {}
    files: dict[str, tuple[str, bytes]] = {}
    for head, content in _parts(body, content_type):
        name = str(head.get_param("name", "", "content-disposition"))
        file = head.get_filename()
        if file is None:
            values.setdefault(name, []).append(content.decode("utf-8", "replace"))
        elif file:
            files[name] = file, content
    return Form(values, files)


def _parts(body: bytes, content_type: str) -> list[tuple[EmailMessage, bytes]]:
    """The parts between the boundaries: the library reads their heads, and what follows is left as it is."""
    outer = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode("ascii", "replace"), policy=HTTP)
    boundary = outer.get_boundary()
    ends = b"" if boundary is None else b"--" + boundary.encode("ascii", "replace")
    pieces = (b"\r\n" + body).split(b"\r\n" + ends) if ends else []
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise FormatError("The upload was cut off. Nothing was done: send it again.")
    found = []
    for piece in pieces[1:-1]:
        head, _, content = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        found.append((message_from_bytes(head + b"\r\n\r\n", policy=HTTP), content))
    return found
