from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.collector.counted import KNOWN, UNKNOWN, N, fill

pytestmark = pytest.mark.usefixtures("few_trees")


def test_classes_of_single_users(command: Command, database: str, tmp_path: Path) -> None:
    fill(database)
    path = tmp_path / "pages.csv"
    path.write_text("name,server,class\n" + "".join(f"USER {u},x,{KNOWN.get(u, '')}\n" for u in range(N)))
    label = ("collect", "label-users", "pages", "--classes", path)
    code, out, err = command(*label, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["reported"], len(found["users"])) == (
        N - 2,
        len(UNKNOWN),
    )
    assert set(found["users"][0]) == {"name", "label", "confidence"}
    code, out, err = command(*label)
    assert code == 0
    assert "held-out users" in " ".join(err.split())
    everybody = "".join(f"user {u},{KNOWN.get(u, '')},{u % 7}\n" for u in range(N))
    path.write_text("name,class,age\n" + everybody)
    code, out, err = command(*label, "--number", "age", "--json")
    assert (code, err, json.loads(out)["reported"]) == (0, "", N - 2)
    for text, said in (
        ("name,class\nuser 1,cats\n", "a column 'age'"),
        ("name,class,age\nuser 1,cats,30\n", f"{N - 1} users of the roster are not in it"),
        ("name,class,age\n" + everybody.replace(",3\n", ",\n", 1), "'age' must hold a number for everybody"),
        ("name,class,age\n" + everybody.replace(",3\n", ",nan\n", 1), "'age' must hold a number for everybody"),
    ):
        path.write_text(text)
        code, out, err = command(*label, "--number", "age")
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())
    for text, said in (
        ("name,class\nnobody,cats\n", "row 2 names somebody who is not in"),
        ("name,class\nuser 1,cats\n@User 1,dogs\n", "row 3 names somebody for the second time"),
        ("name,label\nuser 1,cats\n", "a column 'class'"),
        ("name,class\nuser 1,cats\n", "at least 10 are needed"),
    ):
        path.write_text(text)
        code, out, err = command(*label)
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())
        assert "Traceback" not in err
