"""The browser's core against Python's: the same thresholds, the same bytes for the same words, the same verdicts."""

from __future__ import annotations

import itertools
import json
import random
import sys
import unicodedata
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tests.clients.web.core import Script, ask

from graphldp import wire
from graphldp.audit.fuzz import random_report
from graphldp.client.sampling import hubs, pairs, sampler
from graphldp.client.sampling.laplace import discrete_laplace
from graphldp.collector.storage.operating.sealing_keys import Opener
from graphldp.errors import WireError
from graphldp.wire import Choice, Inner, Invitation, NoisyLists, Published, Question, Report
from graphldp.wire.layout import LAYOUTS
from graphldp.wire.roster import look
from graphldp.wire.strict_json import read_object

VECTORS = Path(__file__).parents[2] / "wire" / "vectors"
TOP = (1 << 64) - 1
# one part of a good message in JSON, spelled otherwise: some are the same to a strict reader, most are not
SPELLINGS = [
    ('"n": 3', '"n": 3.0'),
    ('"n": 3', '"n": 3e0'),
    ('"n": 3', '"n": 03'),
    ('"n": 3', '"n": 3, "n": 3'),
    ('"n": 3', '"n": 3,'),
    ('"n": 3', '"n": 3, "x": NaN'),
    ('"n": 3', '"n": 3, "x": {"y": 1, "y": 1}'),
    ('"n": 3', '"n": 3, "x": "\\u00e9\\ud83d\\ude00"'),
    ('"n": 3', '"n": 3, "x": "\\x41"'),
    ('"n": 3', '"n": 3, "x": "\t"'),
    ('"n": 3', '"n": 3, "x": [1, 2,]'),
    ('"n": 3', '"n": 3, "x": .5'),
    ('"n": 3', '"n": 3, "x": -0.5E+3'),
    ('"n": 3', '"\\u006e": 3'),
    ('"n": 3', '"n": 3, "__proto__": {"n": 4}'),
    ('"user": 2', '"user": -0'),
    ('"epsilon1": 0.1', '"epsilon1": 0.10000000000000001'),
    ('"epsilon1": 0.1', '"epsilon1": 1E-1'),
    ('"epsilon1": 0.1', '"epsilon1": 0.1000001'),
    ('"epsilon1": 0.1', '"epsilon1": 1e400'),
    ('"epsilon1": 0.1, "epsilon2": 0.9', '"epsilon1": 1e400, "epsilon2": 1e400'),
    ('"cats"', '"cats\\n"'),
    ('"Cats"', '"\\ud800"'),
    ("{", " \n\t{"),
    ("{", "\ufeff{"),
    ("{", "\u00a0{"),
    ("{", "[{"),
]
PROMISES = [
    '"retention_days": 90, "keeps_models": false',
    '"retention_days": 90',
    '"retention_days": 90.0',
    '"retention_days": true',
    '"retention_days": null',
    '"keeps_models": false',
    '"keeps_models": null',
]
GROUPS = ("north", "south", "east", "west")
Case = tuple[Published, list[int], bytes]


def published(mechanism: str, n: int, user: int, units: tuple[int, int], hub_from: int | None = None) -> Published:
    spends = mechanism in wire.WITH_EPSILON1, mechanism in wire.WITH_EDGES
    epsilons = [each / wire.MILLION if spent else 0.0 for each, spent in zip(units, spends, strict=True)]
    choice, asks = Choice("one", *epsilons), hub_from if mechanism in wire.WITH_HUBS else None
    names = GROUPS[: min(n, units[0] % 3 + 2)] if mechanism in wire.WITH_COUNTS else ()
    until = date(2026, 12, 31) if LAYOUTS[mechanism].asks_all else None
    return Published("cats", "Cats", n, mechanism, (choice,), "0" * 64, 1, asks, names, answer_until=until, user=user)


def groups_of(terms: Published) -> list[int] | None:
    """Everybody in one group."""
    count = len(terms.group_names)
    return (
        [(number * number + 1) % count if number >= count else number for number in range(terms.n)] if count else None
    )


def drawn_here(terms: Published, friends: list[int], entropy: bytes) -> dict[str, Any]:
    script, choice, noise = Script(entropy), terms.choices[0], None
    given: dict[str, Any] = {"n": terms.n, "user": terms.user, "epsilon1": choice.epsilon1, "_entropy": script.entropy}
    try:
        if terms.mechanism == "hub-counts":
            report, noise = hubs.draw(np.array(friends, np.int32), hub_from=terms.hub_from, **given)
        elif terms.mechanism == "closed-pairs":
            report, noise = pairs.draw(np.array(friends, np.int32), epsilon2=choice.epsilon2, **given)
        else:
            given |= {"mechanism": terms.mechanism, "epsilon2": choice.epsilon2, "hub_from": terms.hub_from}
            report = sampler.draw(np.array(friends, np.int32), groups=groups_of(terms), **given)
    except WireError as error:
        return {"refused": str(error)}
    return {"ok": {"bytes": wire.encode(report).hex(), "noise": noise, "used": script.used}}


def same_draws(core: Path, cases: list[Case]) -> list[dict[str, Any]]:
    """Draw every case in both clients, and compare; the answers."""
    asked = [
        {
            "draw": {
                "published": json.dumps(terms.to_json()),
                "choice": "one",
                "friends": friends,
                "groups": groups_of(terms),
                "entropy": entropy.hex(),
            }
        }
        for terms, friends, entropy in cases
    ]
    here = [drawn_here(*case) for case in cases]
    assert ask(core, asked) == here
    return here


def test_ten_thousand_thresholds_are_the_same_whole_numbers(core: Path) -> None:
    rng, asked, here = random.Random(0), [], []
    for _ in range(10_000):
        mechanism, n = rng.choice(["dprr", "rr"]), round(2 ** rng.uniform(0, 27))
        epsilon2 = round(10 ** rng.uniform(0, 7.2247)) / wire.MILLION
        degree = None if mechanism == "rr" else rng.choice([rng.randint(-20, 20), rng.randint(-n, n), (n - 1) // 2])
        asked.append({"thresholds": {"epsilon2": epsilon2, "n": n, "degree": degree}})
        here.append([str(each) for each in sampler.thresholds(sampler.exact(epsilon2), n, degree, 64)])
    assert [each["ok"] for each in ask(core, asked)] == here


def test_random_communities_draw_the_same_bytes_from_the_same_words(core: Path) -> None:
    rng, cases = random.Random(1), []
    for _ in range(1_000):
        mechanism = rng.choice(wire.PRIVATE_MECHANISMS)
        n = rng.choice([rng.randint(1, 40), rng.randint(1, 40), rng.randint(500, 525), rng.randint(600, 1500)])
        n += n == 1 and mechanism in wire.WITH_COUNTS  # two groups need two users
        user = rng.randrange(n)
        units = tuple(round(10 ** rng.uniform(3, 6.9)) for _ in range(2))
        others = [each for each in range(n) if each != user]
        friends = sorted(rng.sample(others, rng.randint(0, min(n - 1, 60))))
        terms = published(mechanism, n, user, (units[0], units[1]), rng.choice([None, rng.randint(-5, 60)]))
        cases.append((terms, friends, rng.randbytes(8 * n + 1_500)))
    answers = same_draws(core, cases)
    assert not [each for each in answers if "refused" in each]
    assert {int(each["ok"]["bytes"][2:4], 16) >> 5 for each in answers} == {
        wire.MECHANISMS.index(name) for name in wire.PRIVATE_MECHANISMS
    }
    assert any(each["ok"]["noise"] is not None for each in answers)


@pytest.mark.parametrize(
    ("mechanism", "tail"),
    [
        ("noisy-degrees", b""),
        ("hub-counts", b""),
        ("hub-lists", b"\x55\xaa\x0f" * 90),
        ("friend-counts", b"\x55\xaa\x0f" * 90),
        ("closed-pairs", b"\x55\xaa\x0f" * 90),
    ],
)
def test_every_short_way_that_the_noise_can_fall(core: Path, mechanism: str, tail: bytes) -> None:
    """Each byte's two highest bits decide the first coins; a script that ends too early ends for both."""
    cases = [
        (published(mechanism, 9, 4, (units, 500_000), 3), [0, 7], bytes(script) + tail)
        for units in (1_000_000, 1_500_000)
        for size in range(7)
        for script in itertools.product((0x00, 0x40, 0x80, 0xC0), repeat=size)
        if size < 5 or len(set(script[:-4])) == 1
    ]
    answers = same_draws(core, cases)
    assert len({each["ok"]["bytes"] for each in answers if "ok" in each}) >= 3


@pytest.mark.parametrize("mechanism", ["rr", "dprr"])
def test_words_on_either_side_of_each_threshold(core: Path, mechanism: str) -> None:
    cases: list[Case] = []
    noises = {b"": 0} if mechanism == "rr" else noises_of(1_000_000)
    for friends in ([], [0], [2], [0, 2]):
        terms = published(mechanism, 3, 1, (1_000_000, 900_000))
        for prefix, noise in noises.items():
            degree = None if mechanism == "rr" else len(friends) + noise
            low, high = sampler.thresholds(sampler.exact(0.9), 3, degree, 64)
            edges = {word for limit in (low, high) for word in (limit - 1, limit) if word >= 0} | {0, TOP}
            for words in itertools.product(sorted(edges), repeat=2):
                cases.append((terms, friends, prefix + b"".join(word.to_bytes(8, "little") for word in words)))
    answers = same_draws(core, cases)
    assert all("ok" in each for each in answers)
    listed = {tuple(wire.decode(bytes.fromhex(each["ok"]["bytes"])).neighbours) for each in answers}
    assert listed == {(), (0,), (2,), (0, 2)}


def noises_of(units: int) -> dict[bytes, int]:
    """Scripts of one to four bytes that draw one noise exactly, each with its noise; one script for a noise."""
    found: dict[int, bytes] = {}
    for size in range(1, 7):
        for script in itertools.product((0x00, 0x40, 0x80, 0xC0), repeat=size):
            tried = Script(bytes(script))
            try:
                noise = discrete_laplace(sampler.exact(units / wire.MILLION), tried.entropy)
            except WireError:
                continue
            if tried.used == size:
                found.setdefault(noise, bytes(script))
    assert {-1, 0, 1} <= found.keys()
    return {script: noise for noise, script in found.items()}


def test_answers_to_a_second_question(core: Path) -> None:
    rng, asked, here = random.Random(2), [], []
    for _ in range(200):
        n = rng.randint(1, 300)
        question = Question(np.array([rng.random() < 0.3 for _ in range(n)]))
        user, noise = rng.randrange(n), rng.randint(-30, 30) * rng.choice([1, 10**7])
        friends = sorted(rng.sample([each for each in range(n) if each != user], rng.randint(0, n - 1)))
        report = wire.encode(Report("hub-counts", n, user, 1.0, 0.0, len(friends), np.zeros(0, np.int32), True))
        given = {"question": question.encode().hex(), "report": report.hex(), "friends": friends, "noise": noise}
        asked.append({"answer": given})
        here.append({"ok": hubs.answer(question, friends, user, noise).encode().hex()})
    assert ask(core, asked) == here


def test_answers_about_pairs_of_friends(core: Path) -> None:
    """Under caps that bind and that do not, by lists as they are drawn and by such as no device would draw."""
    rng, asked, here, bound = random.Random(3), [], [], 0
    for case in range(200):
        n = rng.randint(2, 70)
        listed = np.random.default_rng(case).random((n, n)) < rng.choice([0.1, 0.5, 1.0])
        listed[: n // 3] |= rng.random() < 0.3  # some list everybody
        np.fill_diagonal(listed, False)
        user, noise = rng.randrange(n), rng.randint(-300, 300)
        friends = sorted(rng.sample([each for each in range(n) if each != user], rng.randint(0, n - 1)))
        spent = rng.choice([(0.25, 0.75), (4.0, 12.0), (0.046001, 1.234567)])
        report = Report("closed-pairs", n, user, *spent, rng.randint(-5, n), np.zeros(0, np.int32))
        if case % 20 == 0:  # a chain has ways that are as long as it is
            listed[:] = np.eye(n, k=1, dtype=bool)
            report = replace(report, noisy_degree=-5)
        lists, body = NoisyLists(listed), wire.encode(report)
        given = {"question": lists.encode().hex(), "report": body.hex(), "friends": friends, "noise": noise}
        asked.append({"answer": given})
        here.append({"ok": pairs.answer(lists, friends, report, noise).encode().hex()})
        bound += max(map(sum, lists.among(friends)), default=0) > pairs.cap(report)
    assert 40 < bound < 160
    assert ask(core, asked) == here


def test_what_the_browser_seals_opens_at_the_collector_for_its_own_community(core: Path) -> None:
    vectors = json.loads((VECTORS / "sealed.json").read_text("utf-8"))
    private = ec.derive_private_key(int(vectors["private_key"], 16), ec.SECP256R1())
    opener = Opener({bytes.fromhex(vectors["key_id"]): private})
    asked = [
        {"seal": {**each["inner"], "community": each["community"], "n": each["n"], "key": vectors["public_key"]}}
        for each in vectors["valid"]
    ]
    for vector, answer in zip(vectors["valid"], ask(core, asked), strict=True):
        sealed, inner = bytes.fromhex(answer["ok"]), vector["inner"]
        assert opener.open(vector["community"], sealed) == Inner(**inner | {"body": bytes.fromhex(inner["body"])})
        with pytest.raises(WireError):
            opener.open("dogs", sealed)


def test_bytes_get_the_same_verdict_and_reason(core: Path) -> None:
    """Reports as they are, and with a byte changed, left out, put in, or the end cut off."""
    rng, data = random.Random(3), []
    for seed in range(700):
        body = wire.encode(random_report(np.random.default_rng(seed)))
        data.append(body)
        for _ in range(3):
            at = rng.randrange(min(len(body), rng.choice([12, len(body)])))
            changed = bytes((rng.choice([body[at] ^ 1 << rng.randrange(8), rng.randrange(256)]),))
            tail = rng.choice([body[at:], body[at + 1 :], b""])
            data.append(body[:at] + rng.choice([changed, b""]) + tail)
    here: list[dict[str, Any]] = []
    for body in data:
        try:
            report = wire.decode(body)
            here.append({"ok": [json.loads(wire.to_json(report)), wire.encode(report).hex()]})
        except WireError as error:
            here.append({"refused": str(error)})
    there = ask(core, [{"decode": {"hex": body.hex(), "n": None}} for body in data])
    read = [{"ok": [json.loads(e["ok"]["json"]), e["ok"]["hex"]]} if "ok" in e else e for e in there]
    assert read == here
    assert sum("ok" in each for each in here) > 700


@pytest.mark.attack("page")
def test_json_gets_the_same_verdict(core: Path) -> None:
    """A message that two clients read differently: a field twice, 3.0 for 3, a link with one letter more."""
    roster, choice = ["ann", "bob", "Dörte"], Choice("one", 0.1, 0.9)
    terms = Published("cats", "Cats", 3, "dprr", (choice,), wire.roster_digest(roster), user=2)
    good = wire.write_publication(terms, [1], json.dumps(roster))
    assert all(old in good for old, _ in SPELLINGS)
    texts = [good, *(good.replace(old, new, 1) for old, new in SPELLINGS), *_of_groups(roster)]
    texts += [good.replace('"n": 3', f'"n": 3, {each}') for each in PROMISES]
    there = ask(core, [{"publication": text} for text in texts])
    assert there[0] == {"ok": terms.to_json()}
    assert {text: "ok" in each for text, each in zip(texts, there, strict=True)} == {
        text: reads(text) for text in texts
    }


def _of_groups(roster: list[str]) -> list[str]:
    """A community with groups, as it is, with one of them spelled otherwise, and with an empty one under its digest."""

    def written(names: tuple[str, ...], groups: list[int]) -> str:
        digest, choices = wire.roster_digest(roster, names, groups), (Choice("one", 1.0, 0.0),)
        terms = Published("cats", "Cats", 3, "friend-counts", choices, digest, group_names=names, user=2)
        return wire.write_publication(terms, [], json.dumps(roster), groups=json.dumps(groups))

    good = written(("north", "Süd"), [0, 1, 0])
    spelled = ["[0, 1, 1]", "[0, 1]", "[0, 1, 0, 1]", "[0, 1, 2]", "[0, 1.0, 0]", "[0, true, 0]", "[-0, 1, 0]", "{}"]
    named = ['["north"]', '["north", "north"]', '["a", "b", "c", "d"]', '"ab"', '["north", 7]', '["Süd", "north"]']
    return [
        good,
        written(("north", "Süd", "west"), [0, 1, 1]),
        *(good.replace("[0, 1, 0]", each) for each in spelled),
        *(good.replace('["north", "Süd"]', each) for each in named),
    ]


@pytest.mark.attack("page")
def test_links_and_addresses_are_never_read_otherwise(core: Path) -> None:
    """A message that two clients read differently: a field twice, 3.0 for 3, a link with one letter more.

    With one letter changed, left out or put in: what the browser takes, Python takes, and as the same invitation.
    """
    rng, texts = random.Random(4), []
    for link in (vector["link"] for vector in json.loads((VECTORS / "links.json").read_text("utf-8"))["valid"]):
        texts.append(link)
        for _ in range(120):
            at, letter = rng.randrange(len(link)), rng.choice("/:#?@[]\\.%~-_ \n\t09aZé;&=")
            texts.append(link[:at] + rng.choice([letter, ""]) + link[at + rng.choice([0, 1]) :])
    there = ask(core, [{"link": text} for text in texts])
    taken = {text: each["ok"] for text, each in zip(texts, there, strict=True) if "ok" in each}
    assert {text: asdict(Invitation.from_link(text)) for text in taken} == taken
    assert len(taken) > 200


def reads(text: str) -> bool:
    try:
        wire.Publication.from_json(read_object(text))
    except WireError:
        return False
    return True


def test_names_are_compared_and_shown_alike(core: Path) -> None:
    """Every letter that Python's version of Unicode knows, and names of several."""
    letters = [
        chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")
    ]
    words = [
        " @Ann ",
        "ann",
        "ΟΔΟΣ",
        "ὈΔΥΣΣΕΎΣ",
        "Straße",
        "STRASSE",
        "İstanbul",
        "ılık",
        "e\u0301",
        "É",
        "\x85a\x1f",
    ]
    words += ["\ufeffann", "ﬁ", "ꭰ", "\u1e9e", "ǰ", "", "@", " ", "a\u0345\u0301", "o\u0338\u0301", "k\u0326"]
    words += letters
    names = [each for each in words if wire.is_shown(each)]
    plain, looks, shown = ask(core, [{"plain": words}, {"look": names}, {"shown": words}])
    assert plain["ok"] == [wire.plain(each) for each in words]
    assert looks["ok"] == [look(each) for each in names]
    assert shown["ok"] == [wire.is_shown(each) for each in words]
