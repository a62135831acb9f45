"""One ε that a community offers, and the names that may be shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphldp.errors import WireError
from graphldp.wire.report import MILLION, WITH_EDGES, WITH_EPSILON1, may_lack_list, to_millionths

LONGEST_NAME = 200


@dataclass(frozen=True)
class Choice:
    """One ε that a community offers.

    Args:
        name: what users choose by.
        epsilon1: ε₁, in whole millionths; 0 where the mechanism spends nothing on it, ``inf`` for a public list.
        epsilon2: ε₂, likewise; 0 where the mechanism has no list.

    By hub-lists ε₁ and ε₂ are what a hub spends. Everybody else spends both on her degree.
    """

    name: str
    epsilon1: float
    epsilon2: float

    @property
    def epsilons(self) -> tuple[float, float]:
        """ε₁ and ε₂."""
        return self.epsilon1, self.epsilon2

    @property
    def public(self) -> bool:
        """Whether it publishes the list as it is."""
        return math.isinf(self.epsilon1)

    @property
    def cost(self) -> int | None:
        """ε₁ + ε₂ in millionths, exactly; None for a public list, which no ε protects."""
        return None if self.public else sum(to_millionths(value) for value in self.epsilons if value)

    def spent(self, mechanism: str) -> tuple[tuple[float, float], ...]:
        """The ε₁ and ε₂ that a report by a mechanism can have."""
        if self.cost is None or not may_lack_list(mechanism):
            return (self.epsilons,)
        on_degree = (self.cost / MILLION, 0.0)
        return (on_degree, self.epsilons) if self.epsilon2 else (on_degree,)

    def check(self, mechanism: str) -> None:
        """Refuse a name that cannot be shown, and an ε that no report by a mechanism carries."""
        check_name(self.name)
        if self.epsilons == (math.inf, math.inf):
            return
        for value, users in ((self.epsilon1, WITH_EPSILON1), (self.epsilon2, WITH_EDGES)):
            if mechanism in users:
                to_millionths(value, may_be_0=users is WITH_EDGES and may_lack_list(mechanism))
            elif isinstance(value, bool) or value != 0:
                raise WireError(f"It spends ε on what {mechanism} does not report.")
        for spent in self.spent(mechanism):
            to_millionths(max(spent))  # all of it may go to the degree, and has to fit there

    def to_json(self) -> dict[str, Any]:
        """The choice as a community publishes it; null stands for an infinite ε, which JSON cannot write."""
        values = [None if self.public else value for value in self.epsilons]
        return {"name": self.name, "epsilon1": values[0], "epsilon2": values[1]}

    @staticmethod
    def from_json(fields: Mapping[str, Any], mechanism: str) -> Choice:
        """Read what :meth:`to_json` wrote."""
        try:
            name, *given = (fields[key] for key in ("name", "epsilon1", "epsilon2"))
        except (KeyError, TypeError):
            raise WireError("A choice has a name, epsilon1 and epsilon2.") from None
        if math.inf in given:
            raise WireError("An infinite ε is written as null.")
        found = Choice(name, *([math.inf, math.inf] if given == [None, None] else given))
        found.check(mechanism)
        return Choice(name, float(found.epsilon1), float(found.epsilon2))


def check_name(value: Any) -> str:
    """A name that can be shown: what a terminal would obey, or what hides other text, does not come in."""
    if type(value) is not str or not value.isprintable() or not 1 <= len(value) <= LONGEST_NAME:
        raise WireError(f"A name must be printable, and {LONGEST_NAME} characters at most.")
    return value
