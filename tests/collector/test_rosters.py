"""Rosters from text, and from forms."""

from __future__ import annotations

import pytest

from graphldp.collector import rosters
from graphldp.collector.dashboard.forms import parse_form
from graphldp.collector.rosters import Roster, bare, completed, read_roster
from graphldp.errors import FormatError


def test_what_a_roster_may_be() -> None:
    assert read_roster("ann\n\n bob \n", "It") == Roster(["ann", "bob"])
    assert read_roster('["ann", "bo, b"]', "It") == Roster(["ann", "bo, b"])
    assert read_roster('Name,mail\nann,a@x\n"bo, b",b@x\n', "It", table=True) == Roster(["ann", "bo, b"])
    assert read_roster("who,team\nann,a\nbob,b\n", "It", groups="team") == Roster(["ann", "bob"], ["a", "b"])


def test_an_at_sign_before_a_name_is_no_host() -> None:
    people = Roster(["ann", "@bob", "@cy@x.example", "Dora Day"])
    assert bare(people) == ["ann", "@bob"]
    hosted = completed(people, "y.example")
    assert hosted.names == ["ann@y.example", "@bob@y.example", "@cy@x.example", "Dora Day@y.example"]
    assert bare(hosted) == []


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


@pytest.mark.attack("collector")
@pytest.mark.parametrize("cut", [0, 1, 20, 120, 200, len(UPLOAD) - 6])
def test_an_upload_that_was_cut_off_is_said_to_be(cut: int) -> None:
    """A form that is cut off, which was an internal error with its words in the log."""
    with pytest.raises(FormatError, match="cut off"):
        parse_form(UPLOAD[:cut], BOUNDARY)
    with pytest.raises(FormatError, match="cut off"):
        parse_form(UPLOAD, "multipart/form-data")


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    "boundary",
    ["", '"', "x" * 71, "x;y", "x; charset=utf-8", "x\u00e9", "x ", "*0=a; boundary*1=", "x" + ";" * 60_000],
)
def test_a_boundary_is_taken_by_a_strict_pattern(boundary: str) -> None:
    """A library's parser of headers took time that grew with the square of their length."""
    with pytest.raises(FormatError, match="cut off"):
        parse_form(f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}")


MANY = b'--x1\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' * 101 + b"--x1--"


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    ("body", "written"),
    [
        (MANY, BOUNDARY),
        (b"a=1&" * 101, "application/x-www-form-urlencoded"),
        (b"a=" + b"x" * 5000, "application/x-www-form-urlencoded"),
        (b"a=%00", "application/x-www-form-urlencoded"),
        (b'--x1\r\nContent-Disposition: form-data; name="a"\r\nX: ' + b"x" * 2000 + b"\r\n\r\n1\r\n--x1--", BOUNDARY),
    ],
    ids=["parts", "fields", "long", "control", "head"],
)
def test_a_form_has_no_more_than_its_page(body: bytes, written: str) -> None:
    """A form with thousands of fields, or one that is long, is no page's."""
    with pytest.raises(FormatError):
        parse_form(body, written)


def test_the_beginning_of_an_upload_has_its_first_fields() -> None:
    for end in (70, 200, len(UPLOAD)):
        assert parse_form(UPLOAD[:end], BOUNDARY, whole=False).get("csrf") == "secret"
    assert parse_form(UPLOAD[:30], BOUNDARY, whole=False).get("csrf") == ""


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("[" * 100_000, False),
        ('["a",' * 5000, False),
        ("[" + "[]," * 1_000_001 + "1]", False),
        ('["\\ud800", "b"]', False),
        ("\n" * (2 * rosters.MOST_NAMES + 1), False),
        ("\u2028" * (2 * rosters.MOST_NAMES + 1), False),
        ("name\n" + "\r" * (2 * rosters.MOST_NAMES + 1), True),
        ("name" + ",x" * 1001 + "\n", True),
        ("name\nann" + ",x" * 1001 + "\n", True),
    ],
    ids=["deep", "deep in lists", "lists", "half a character", "lines", "other lines", "rows", "header", "cells"],
)
def test_a_roster_is_counted_before_it_is_kept(text: str, table: bool) -> None:
    """A roster that nests deeply, or has millions of lines, lists or cells, is one error."""
    with pytest.raises(FormatError):
        read_roster(text, "It", table=table)


@pytest.mark.attack("collector")
def test_a_name_of_accents_is_not_normalized() -> None:
    """A name of a million accents: to put them in order takes the square of their number, and all threads wait."""
    accents = "a" + "\u0301\u0327" * 400
    assert read_roster(f"ann\n{accents}\n", "It").names == ["ann", accents]
    assert read_roster("\u03b1\u0313\u0300\u0345" * 200, "It").names == ["\u1f82" * 200]


def test_rows_before_a_long_one_do_not_count_for_it() -> None:
    rows = "".join(f"user {place},x,y\n" for place in range(2000))
    assert len(read_roster(f"name,a,b\n{rows}", "It", table=True).names) == 2000
