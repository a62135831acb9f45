"""What leaves a device under each mechanism, as pictures: always the same user, drawn by the mechanisms themselves.

Her community has 25 users, so a list is 24 cells, one for each other user. ``python -m tools.mechanism_figures`` writes
the files.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from tools import lanes
from tools.lanes import Drawing, Lane, beside, cells, gauges, matrix, picture, pills, shades

import graphldp as gl
from graphldp.mechanisms.attributes.friend_counts import true_counts
from graphldp.mechanisms.base import Mechanism
from graphldp.privacy.pairs import answer
from graphldp.reports import Reports

T = TypeVar("T")
N, HER, HUB, SEED = 25, 0, 1, 141
GROUPS = ("A", "B", "C")
NUMBERS, SHARES = ("age", "posts a week", "years here"), (0.35, 0.7, 0.15)
JOBS = ("teacher", "nurse", "clerk")
TIMES = 3.0  # among 25 users a hub has twelve friends or more, by her noisy degree


def community() -> gl.GraphSet:
    """Twenty-five users in three groups. She has six friends, and another one, the hub, has sixteen."""
    hers = (1, 3, 6, 9, 10, 17)
    hubs = (2, 3, 4, 6, 8, 9, 11, 12, 13, 15, 17, 18, 20, 22, 23)
    pairs = {(HER, each) for each in hers} | {(HUB, each) for each in hubs}
    pairs |= {
        (i, j) for i in range(2, N) for j in range(i + 1, N) if (i * j) % 11 == 5 or (i % 3 == j % 3 and i + j < 21)
    }
    one, two = np.array(sorted(pairs)).T
    numbers, jobs = np.tile(SHARES, (N, 1)), np.ones(N, np.int64)
    graphs = gl.GraphSet.from_edges(one, two, [N]).with_groups(np.arange(N) % len(GROUPS))
    return graphs.with_features(numbers, public=False).with_node_labels(jobs, public=False)


GRAPHS = community()


def there(value: T | None) -> T:
    """A part of reports that they surely have."""
    if value is None:
        raise LookupError("These reports have no such part.")
    return value


def drawn(mechanism: Mechanism) -> Reports:
    """The reports of her community."""
    return mechanism.randomize(GRAPHS, rng=SEED)


def on_list(of: gl.GraphSet | Reports, user: int) -> set[int]:
    """Who is on a user's list."""
    return {*of.indices[of.indptr[user] : of.indptr[user + 1]].tolist()}


def marks(user: int, named: set[int]) -> str:
    """The cells of a user's list."""
    friends = on_list(GRAPHS, user)
    return "".join("n" if k not in named else "f" if k in friends else "s" for k in range(N) if k != user)


def number(value: float) -> str:
    """A number as it is sent: whole, or with a digit."""
    return f"{value:.0f}".replace("-", "−") if value == round(value) else f"{value:.1f}".replace("-", "−")


def degree_lane(reports: Reports, user: int = HER) -> Lane:
    """Her number of friends, and d*."""
    held = pills([f"{len(on_list(GRAPHS, user))}"])
    return Lane("out", "number of friends", held, "d*", pills([number(there(reports.noisy_degree)[user])]))


def list_lane(reports: Reports | None, user: int = HER) -> Lane:
    """Her list, and the one that is sent; without reports it stays."""
    friends = on_list(GRAPHS, user)
    held = cells(marks(user, friends))
    if reports is None:
        return Lane("stays", "list", held)
    named = on_list(reports, user)
    strangers = len(named - friends)
    words = f"{len(named & friends)} of {len(friends)} friends, {strangers} stranger{'s' * (strangers != 1)}"
    return Lane("out", "list", held, words, cells(marks(user, named)))


def lists_by(mechanism: Mechanism) -> list[Lane]:
    """A list, and before it d* where there is one."""
    reports = drawn(mechanism)
    return [*([degree_lane(reports)] if mechanism.degree_noise else []), list_lane(reports)]


def noisy_degrees() -> list[Lane]:
    """The picture of the degree alone."""
    return [degree_lane(drawn(gl.NoisyDegrees(1.0))), list_lane(None)]


def local_lap() -> list[Lane]:
    """The degree, and a real number for each other user."""
    noise = np.random.default_rng(SEED).laplace(scale=1 / 0.9, size=N - 1)
    mine = [mark == "f" for mark in marks(HER, on_list(GRAPHS, HER))]
    held = cells(marks(HER, on_list(GRAPHS, HER)))
    sent = Lane("out", "list", held, "a real number for each user", shades(mine + noise))
    return [degree_lane(drawn(gl.LocalLap(1.0))), sent]


def hub_lists() -> list[Lane]:
    """Somebody who is no hub, and a hub."""
    reports = drawn(gl.HubLists(1.0, least=0.0, times=TIMES))
    few = [Lane("head", "most users"), degree_lane(reports), list_lane(None)]
    return [*few, Lane("head", "a hub"), degree_lane(reports, HUB), list_lane(reports, HUB)]


def hub_counts() -> list[Lane]:
    """The picture of both rounds of a hub."""
    reports = drawn(gl.HubCounts(1.0, times=TIMES))
    told = there(reports.answers)
    friends, others = on_list(GRAPHS, HUB), [k for k in range(N) if k != HUB]
    held = cells("f" if k in friends and told.busy[k] else "n" for k in others)
    busy = sum(bool(told.busy[k]) for k in friends)
    answers = pills([number(told.busy_friends[HUB]), number(told.quiet_friends[HUB])])
    return [
        Lane("head", "round 1: everybody, and here a hub"),
        degree_lane(reports, HUB),
        list_lane(None, HUB),
        Lane("head", "round 2: hubs alone"),
        Lane("in", "her busy friends", held, "who is busy", cells("b" if told.busy[k] else "n" for k in others)),
        Lane("out", "busy friends, and the others", pills([f"{busy}", f"{len(friends) - busy}"]), "u₂ and u₁", answers),
    ]


def closed_pairs() -> list[Lane]:
    """The picture of both rounds of closed-pairs."""
    reports = drawn(gl.ClosedPairs(1.0))
    told = there(reports.pair_answers)
    lists = np.zeros((N, N), np.bool_)
    lists[np.repeat(np.arange(N), np.diff(reports.indptr)), reports.indices] = True
    friends = sorted(on_list(GRAPHS, HER))
    both = (lists[np.ix_(friends, friends)] + lists[np.ix_(friends, friends)].T.astype(np.int32)).astype(np.int32)
    count = answer(both.tolist(), 99) + 99 * len(friends)  # no cap binds
    return [
        Lane("head", "round 1"),
        degree_lane(reports),
        list_lane(reports),
        Lane("head", "round 2"),
        Lane("in", "what they say of two of her friends", matrix(lists, friends), "all noisy lists", matrix(lists)),
        Lane(
            "out",
            "how often two are friends there",
            pills([f"{count}"]),
            "u, which is less by C for each friend",
            pills([number(told.told[HER])]),
        ),
    ]


def friend_counts() -> list[Lane]:
    """The picture of three counts."""
    counts = there(drawn(gl.FriendCounts(1.0)).friend_counts)[HER]
    friends = on_list(GRAPHS, HER)
    parts = [[k for k in range(N) if k != HER and k % len(GROUPS) == place] for place in range(len(GROUPS))]
    held = cells(" ".join("".join("f" if k in friends else "n" for k in part) for part in parts))
    true = pills(f"{name} {count:.0f}" for name, count in zip(GROUPS, true_counts(GRAPHS)[HER], strict=True))
    sent = pills(f"{name} {number(count)}" for name, count in zip(GROUPS, counts, strict=True))
    return [Lane("stays", "list, by public group", held), Lane("out", "friends in each group", true, "z", sent)]


def multi_bit() -> list[Lane]:
    """The picture of one bit of one number."""
    told = there(drawn(gl.MultiBit(1.0)).columns.features)[HER]
    words = ["–" if each == 0.5 else "high" if each > 0.5 else "low" for each in told]
    sent = pills(words, [k for k, each in enumerate(words) if each != "–"])
    return [Lane("out", "private numbers", gauges(SHARES, NUMBERS), "one bit for one of them", sent)]


def category_rr() -> list[Lane]:
    """A category, here another one than hers."""
    told = there(drawn(gl.CategoryRR(1.0, categories=len(JOBS))).columns.labels)
    return [Lane("out", "job", pills(JOBS, [1]), "what she tells", pills(JOBS, [int(told[HER])]))]


def joint() -> list[Lane]:
    """A degree, a number and a category."""
    return [degree_lane(drawn(gl.NoisyDegrees(1.0))), list_lane(None), *multi_bit(), *category_rr()]


def nonprivate() -> list[Lane]:
    """The picture of both ends of the scale."""
    whole = Lane("head", "NonPrivFull: everybody"), list_lane(drawn(gl.NonPrivFull()))._replace(sent="her list")
    public = np.where(np.arange(N) % 2, 1.0, np.inf)
    part = list_lane(drawn(gl.NonPrivPart(public)))._replace(sent="her public friends")
    half = (
        Lane("head", "NonPrivPart: a public user"),
        part,
        Lane("head", "NonPrivPart: a private user"),
        list_lane(None),
    )
    return [*whole, *half]


LISTS: dict[str, Mechanism] = {
    "rr": gl.RR(1.0),
    "arr": gl.ARR(1.0, sampling=0.5),
    "dprr": gl.DPRR(1.0, noise="discrete"),
    "blink": gl.Blink(1.0, noise="discrete"),
}
OTHERS: dict[str, Callable[[], list[Lane]]] = {
    "local-lap": local_lap,
    "noisy-degrees": noisy_degrees,
    "hub-lists": hub_lists,
    "hub-counts": hub_counts,
    "closed-pairs": closed_pairs,
    "friend-counts": friend_counts,
    "multi-bit": multi_bit,
    "category-rr": category_rr,
    "joint": joint,
    "nonprivate": nonprivate,
}
WITHOUT_CELLS = ("multi-bit", "category-rr")


def report(name: str) -> str:
    """The picture of a mechanism."""
    found = lists_by(LISTS[name]) if name in LISTS else OTHERS[name]()
    return picture(f"What leaves a device by {name}", found, keyed=name not in WITHOUT_CELLS)


def sent(found: list[Lane]) -> Drawing:
    """All that leaves the device, in one line: numbers, a list, numbers about it."""
    drawings = [lane.seen for lane in found if lane.way == "out"]
    return beside(*((90 if each.height < 15 else 380 * (k > 0), each) for k, each in enumerate(drawings)))


def side_by_side() -> str:
    """What leaves her device under each mechanism, in one picture."""
    friends = on_list(GRAPHS, HER)
    rows = [("her list", beside((0, pills([f"{len(friends)}"])), (90, cells(marks(HER, friends)))))]
    rows += [(label, sent(lists_by(LISTS[label.lower()]))) for label in ("DPRR", "RR", "ARR", "Blink")]
    rows += [
        ("LocalLap", sent(local_lap())),
        ("NoisyDegrees", sent(noisy_degrees())),
        ("HubLists, no hub", sent(hub_lists()[:3])),
        ("HubLists, a hub", sent(hub_lists()[4:])),
        ("HubCounts, a hub", beside((0, hub_counts()[1].seen), (380, hub_counts()[-1].seen))),
        ("ClosedPairs", sent(closed_pairs())),
        ("FriendCounts", sent(friend_counts())),
        ("MultiBit", sent(multi_bit())),
        ("CategoryRR", sent(category_rr())),
    ]
    parts, y = [], 8.0
    for name, drawing in rows:
        parts.append(lanes.text(lanes.LEFT, y + 15, name, "head" if name == "her list" else "ink"))
        parts.append(lanes.placed(135, y + (21 - drawing.height) / 2, drawing))
        y += 28
        if name == "her list":
            parts.append(f'<path class="wall" d="M{lanes.LEFT} {y + 3:g}H{lanes.WIDTH - lanes.LEFT}"/>')
            y += 8
    return lanes.standing("What leaves a device under each mechanism", "".join(parts) + lanes.keys(y + 4), y + 22)


def witnesses() -> str:
    """A hub's friends say in which group she is, and one liar moves every sum by a little."""
    users, groups, epsilon = 60, 12, 2.0
    pairs = [(0, k) for k in range(1, 41)] + [(k, k + 1) for k in range(41, users - 1)]
    one, two = np.array(pairs).T
    graphs = gl.GraphSet.from_edges(one, two, [users])
    told = there(gl.FriendCounts(epsilon, dealt=groups).randomize(graphs, rng=SEED).friend_counts)
    bits, keep = told >= 1, 1 / (1 + np.exp(-epsilon))
    move = 1 / (2 * keep - 1)  # the most by which one user moves a sum
    sums = np.maximum((bits - (1 - keep)).sum(axis=0) * move, 0)
    wide, tall, top, scale = 23, 2.4, 30, 2.4
    bottom = top + users * tall
    parts = [
        lanes.text(lanes.LEFT, 18, "who has a friend in which group", "head"),
        lanes.text(lanes.RIGHT, 18, "the sum, and how far one liar moves it", "head"),
        lanes.placed(lanes.LEFT, top, matrix(bits, width=wide, height=tall)),
        lanes.text(lanes.LEFT, bottom + 18, f"a row for each of {users} users, with noise"),
        lanes.text(lanes.RIGHT, bottom + 18, "one group has many witnesses: a hub is in it"),
    ]
    for group, total in enumerate(sums.tolist()):
        x, high = lanes.RIGHT + group * wide, total * scale
        parts.append(lanes.box("friend", x, bottom - high, wide - 7, max(high, 0.5)))
        low, reach = max(total - move, 0) * scale, (total + move) * scale
        whisker = f"M{x + 4} {bottom - reach:g}h8m-4 0V{bottom - low:g}m-4 0h8"
        parts.append(f'<path class="way" d="{whisker}"/>')
    return lanes.standing("The friends of a hub are witnesses of her degree", "".join(parts), bottom + 26)


PICTURES: dict[str, Callable[[], str]] = {
    **{name: partial(report, name) for name in (*LISTS, *OTHERS)},
    "side-by-side": side_by_side,
    "witnesses": witnesses,
}
