from __future__ import annotations

from tests.cli.collect.conftest import read
from tests.cli.conftest import Command

from graphldp import wire
from graphldp.collector.storage.store import Store


def test_sealing_keys(command: Command, database: str) -> None:
    Store.open(database).close()
    assert read(command, "collect", "sealing", "list") == []
    first = read(command, "collect", "sealing", "rotate")
    second = read(command, "collect", "sealing", "rotate", "--overlap-days", "7")
    assert wire.key_id(bytes.fromhex(second["published"])).hex() == second["key"]
    listed = read(command, "collect", "sealing", "list")
    assert [(row["key"], row["opens until"] == "–") for row in listed] == [(second["key"], True), (first["key"], False)]
    last = read(command, "collect", "sealing", "rotate", "--overlap-days", "0")
    assert [row["key"] for row in read(command, "collect", "sealing", "list")] == [last["key"], first["key"]]
    for wrong in ("-1", "nan", "4000"):
        code, _, err = command("collect", "sealing", "rotate", f"--overlap-days={wrong}")
        assert (code, err.count("\n")) == (2, 1)
        assert "'overlap_days' parameter" in err
