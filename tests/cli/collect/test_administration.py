from __future__ import annotations

import json

import pytest
from tests.cli.collect.conftest import read
from tests.cli.conftest import Command

from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store


def test_the_audit_log(command: Command, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(database).close()
    key = read(command, "collect", "operator", "add", "alice")["key"]
    kept = read(command, "collect", "log", "--verify")
    assert (kept["entries"], kept["problem"]) == (1, None)
    read(command, "collect", "operator", "remove", "alice")
    code, out, err = command("collect", "log", "--json")
    told = [(each["action"], each["about"], each["way"]) for each in json.loads(out)]
    assert told == [("operator.add", "alice as operator", "command line"), ("operator.remove", "alice", "command line")]
    assert (code, key in out) == (0, False)
    head = err.split()[-1]
    assert read(command, "collect", "log", "--verify", "--head", kept["head"])["head"] == head
    for asked, count in ((("--action", "remove"), 1), (("--about", "alice"), 2), (("--actor", "nobody"), 0)):
        assert len(json.loads(command("collect", "log", *asked, "--json")[1])) == count
    monkeypatch.setenv("COLUMNS", "80")
    table = command("collect", "log")[1]
    assert "…" not in table
    assert "operator.remove" in table
    store = Store.open(database)
    with transaction(store.engine, writes=True) as connection:
        connection.exec_driver_sql("DROP TRIGGER audit_log_no_delete")
        connection.exec_driver_sql("DELETE FROM audit_log WHERE number = 2")
    store.close()
    assert command("collect", "log", "--verify")[0] == 0
    code, out, _ = command("collect", "log", "--verify", "--head", head)
    assert code == 1
    assert "cut off" in " ".join(out.split())
