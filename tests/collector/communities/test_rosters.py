"""Rosters from text, and from forms."""

from __future__ import annotations

import pytest

from graphldp.collector.communities.rosters import Roster, read_roster
from graphldp.collector.dashboard.forms import parse_form
from graphldp.errors import FormatError


def test_what_a_roster_may_be() -> None:
    assert read_roster("ann\n\n bob \n", "It") == Roster(["ann", "bob"])
    assert read_roster('["ann", "bo, b"]', "It") == Roster(["ann", "bo, b"])
    assert read_roster('Name,mail\nann,a@x\n"bo, b",b@x\n', "It", table=True) == Roster(["ann", "bo, b"])
    assert read_roster("who,team\nann,a\nbob,b\n", "It", groups="team") == Roster(["ann", "bob"], ["a", "b"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ann\nbob\n", "first column is called 'name'"),  # nobody is taken for a header
        ("name,mail\nann,a@x\nbob", r"row 3 has 1 of 2 cells. Was the file cut off\?"),
        ('name\n"ann\n', "not a CSV file"),
        ("", "first column is called 'name'"),
    ],
)
def test_a_table_that_is_none_is_refused_and_nobody_is_named(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said) as told:
        read_roster(text, "It", table=True)
    assert "bob" not in str(told.value)


BOUNDARY = "multipart/form-data; boundary=x1"
UPLOAD = (
    b'--x1\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nsecret\r\n'
    b'--x1\r\nContent-Disposition: form-data; name="file"; filename="caf\xc3\xa9.csv"\r\n'
    b"Content-Type: text/csv\r\n\r\nname\r\nann\r\n\r\n--x1 is a name\r\n"
    b'--x1\r\nContent-Disposition: form-data; name="none"; filename=""\r\n\r\n\r\n'
    b"--x1--\r\n"
)


def test_a_form_with_a_file() -> None:
    form = parse_form(UPLOAD.replace(b"--x1 is", b"x1 is"), BOUNDARY)
    assert (form.get("csrf"), set(form.files)) == ("secret", {"file"})
    assert form.files["file"][1] == b"name\r\nann\r\n\r\nx1 is a name"
    assert form.files["file"][0].endswith(".csv")
    plain = parse_form(b"a=1&a=2&b=%20x%20", "application/x-www-form-urlencoded")
    assert (plain.get("a"), plain.all("a"), plain.get("b"), plain.get("c")) == ("2", ["1", "2"], "x", "")
    assert not plain.has("c")


@pytest.mark.parametrize("cut", [0, 1, 20, 120, 200, len(UPLOAD) - 6])
def test_an_upload_that_was_cut_off_is_said_to_be(cut: int) -> None:
    with pytest.raises(FormatError, match="cut off"):
        parse_form(UPLOAD[:cut], BOUNDARY)
    with pytest.raises(FormatError, match="cut off"):
        parse_form(UPLOAD, "multipart/form-data")
