"""What time it is, whatever a machine's clock says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphldp.collector.storage.clock import Clock
from graphldp.collector.storage.store import Store

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY, HOUR, YEAR = timedelta(days=1), timedelta(hours=1), timedelta(days=365)


class Machine:
    """A machine whose clock can be set, and whose uptime cannot."""

    def __init__(self, store: Store) -> None:
        self.wall, self.up = START, 0.0
        self.clock = Clock(store.engine, lambda: self.wall, lambda: self.up)

    def run(self, time: timedelta, jump: timedelta = timedelta(0)) -> datetime:
        """Let time go by, and the clock jump besides; gives what is believed."""
        self.wall, self.up = self.wall + time + jump, self.up + time.total_seconds()
        return self.clock.tick()


def test_time_goes_on(store: Store) -> None:
    machine = Machine(store)
    assert machine.clock.tick() == START
    for days in range(1, 4):
        assert machine.run(DAY) == START + days * DAY == machine.clock.now()


@pytest.mark.attack("storage")
def test_a_clock_that_went_back_is_not_followed(store: Store) -> None:
    """Put a server's clock back, or start a store in a wrong year."""
    machine = Machine(store)
    machine.clock.tick()
    assert machine.run(DAY, -YEAR) == START + DAY  # and time goes on: sessions end, and reports go
    assert machine.clock.now() == START + DAY
    assert Clock(store.engine, lambda: START - YEAR).now() == START + DAY  # nor by a process that starts later
    assert machine.run(YEAR) == START + DAY + YEAR


@pytest.mark.attack("storage")
def test_a_store_that_began_in_a_wrong_year_does_not_stand_still(store: Store) -> None:
    """Put a server's clock back, or start a store in a wrong year."""
    machine = Machine(store)
    machine.wall += 10 * YEAR
    machine.clock.tick()
    assert machine.run(HOUR, -10 * YEAR) == START + 10 * YEAR + HOUR
    for days in range(1, 4):
        assert machine.run(DAY) == START + 10 * YEAR + HOUR + days * DAY


@pytest.mark.attack("storage")
@pytest.mark.parametrize("jump", [YEAR, -YEAR])
def test_two_servers_do_not_make_time_run_twice_as_fast(store: Store, jump: timedelta) -> None:
    """Several servers on one database while the clock is wrong."""
    machines = Machine(store), Machine(store)
    for machine in machines:
        machine.clock.tick()
    for hours in range(1, 13):
        for machine in machines:
            assert machine.run(HOUR, jump if hours == 1 else timedelta(0)) == START + hours * HOUR
    assert machines[1].run(HOUR) == START + 13 * HOUR  # one goes on where the other is gone


def test_a_clock_that_jumps_ahead_is_doubted_for_a_day(store: Store) -> None:
    machine = Machine(store)
    machine.clock.tick()
    assert machine.run(HOUR, YEAR) == START + HOUR
    for hours in range(2, 24):
        assert machine.run(HOUR) == START + hours * HOUR
    assert machine.run(HOUR / 2, -YEAR) == START + 23.5 * HOUR  # it is put right just in time
    assert machine.run(HOUR, YEAR) == START + 24.5 * HOUR  # and the doubt begins anew
    assert machine.run(22 * HOUR) == START + 46.5 * HOUR
    assert machine.run(HOUR) == START + YEAR + 47.5 * HOUR  # a day later it must be right: the server was off


def test_a_server_that_was_off_waits_for_a_day_too(store: Store) -> None:
    Machine(store).clock.tick()
    later = Machine(store)
    later.wall += YEAR
    assert later.clock.tick() == START
    assert later.run(DAY) == START + YEAR + DAY
    again = Machine(store)
    again.wall += YEAR + DAY + HOUR / 2  # a restart is not worth a doubt
    assert again.clock.tick() == START + YEAR + DAY + HOUR / 2
