"""Invitation links: one link for one invitation, the token only where no server sees it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.errors import WireError
from graphldp.wire import Invitation, address

VECTORS = json.loads((Path(__file__).parent / "vectors" / "links.json").read_text("utf-8"))
SERVERS = json.loads((Path(__file__).parent / "vectors" / "invitation.json").read_text("utf-8"))
TOKEN = "2.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda v: v["name"])
def test_valid_links(vector: dict[str, Any]) -> None:
    invitation = Invitation(**vector["invitation"])
    assert Invitation.from_link(vector["link"]) == Invitation.read(f" {vector['link']}\n") == invitation
    assert invitation.to_link(vector.get("page")) == vector["link"]
    assert Invitation.read(invitation.to_json()) == invitation


@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=lambda v: v["name"])
def test_invalid_links_are_refused_without_repeating_them(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError) as refused:
        Invitation.from_link(vector["link"])
    assert TOKEN not in str(refused.value)


@pytest.mark.attack("device")
@given(
    st.from_regex("[a-z0-9-]{1,64}", fullmatch=True),
    st.from_regex("[A-Za-z0-9._~-]{1,200}", fullmatch=True),
    st.sampled_from(["https://a.example", "https://a.example:8443/x", "http://127.0.0.1:1", "http://[::1]:2/y"]),
    st.sampled_from([None, "https://a.example", "https://pages.example/join", "http://localhost:3"]),
)
def test_a_link_comes_back_and_a_cut_one_is_never_another_members(
    community: str, token: str, server: str, page: str | None
) -> None:
    """An invitation link in the logs of a server or proxy."""
    invitation = Invitation(server, community, token)
    link = invitation.to_link(page)
    assert Invitation.from_link(link) == invitation
    seen = urlsplit(link)._replace(fragment="").geturl()  # what a browser asks a server for
    assert seen == f"{page or server}/join"
    for end in range(len(link)):
        try:
            cut = Invitation.from_link(link[:end])
        except WireError:
            continue
        assert cut.token == token


@pytest.mark.parametrize("token", ["a/b", "a#b", "a b", "%41", "a?b", ""])
def test_a_token_that_a_link_cannot_hold(token: str) -> None:
    with pytest.raises(WireError):
        Invitation("https://a.example", "cats", token).to_link()


@pytest.mark.attack("device")
@pytest.mark.parametrize("vector", SERVERS["valid"], ids=lambda v: v["name"])
def test_an_address_is_kept_in_one_way(vector: dict[str, Any]) -> None:
    """One server under two addresses, such as https://h and https://h:443, to get two reports for one ε."""
    kept = Invitation.from_json(json.dumps(vector["message"])).server
    assert kept == address(kept) == vector["address"]


@pytest.mark.parametrize("vector", SERVERS["invalid"], ids=lambda v: v["name"])
def test_what_programs_read_in_several_ways_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        Invitation.from_json(json.dumps(vector["message"]))
