from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner, Result

from graphldp.audit.protocol import ROSTER, USER, FailingCollector, failing_collector
from graphldp.audit.traffic import HUB_COUNTS, asked
from graphldp.cli.client import app
from graphldp.client.protocol import Client
from graphldp.errors import ClientError, ParameterError, SendError, WireError
from graphldp.wire import decode, roster_digest, spoken

Run = Callable[..., Result]
AT_ONCE = """
from graphldp.client.protocol import Client
Client.__init__.__kwdefaults__["tick"] = 0.0
from graphldp.cli import main
main()
"""


@pytest.fixture
def server() -> Iterator[FailingCollector]:
    with failing_collector() as running:
        yield running


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("GRAPHLDP_CLIENT_HOME", str(tmp_path / "home"))
    assert Client.__init__.__kwdefaults__ is not None
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "tick", 0.0)  # tests of the client's traffic wait for it

    def call(*arguments: str, text: str | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=text, catch_exceptions=False)

    return call


@pytest.fixture
def friends(tmp_path: Path) -> str:
    path = tmp_path / "friends.txt"
    path.write_text("\n".join([*ROSTER[10:20], "a-stranger"]))
    return str(path)


@pytest.mark.attack("device")
def test_join_report_status_forget(run: Run, server: FailingCollector, friends: str) -> None:
    """Different rosters for different members."""
    joined = run("join", "-", "--accept", "1.5", "--cap", "2", "--json", text=server.invitation.to_json())
    assert json.loads(joined.stdout)["choices"] == {"standard": "1"}
    assert json.loads(joined.stdout)["roster digest"] == roster_digest(ROSTER)

    dry = run("report", "audit", "--friends", friends, "--dry-run", "--yes")
    assert server.bodies == []
    assert "10 of your 11 names are members of 'audit'.\n" in dry.stderr
    assert not any(name in dry.stderr for name in ROSTER)
    assert spoken(roster_digest(ROSTER)) in dry.stderr
    assert "change by a factor of 2.718 at most" in dry.stdout
    assert "One friendship, 50% likely beforehand, becomes 26.9% to 73.1% likely." in dry.stdout
    assert "Nothing was sent. The report is drawn, kept and paid for" in dry.stdout
    assert "Do not decide by what you see here." in dry.stdout
    assert "a-stranger" not in dry.output

    sent = json.loads(run("report", "audit", "--json").stdout)
    assert sent["acknowledged"]
    assert [body.hex() for body in server.bodies] == [sent["bytes"]]
    assert sent["bytes"] in dry.stdout
    assert json.loads(dry.stdout.splitlines()[3]) == sent["report"]
    assert decode(bytes.fromhex(sent["bytes"])).n == len(ROSTER)

    again = run("report", "audit", "--resend")
    assert again.stdout.splitlines()[1] == sent["bytes"]
    assert "were sent, and no others: the collector has your report" in again.stdout
    assert len(server.bodies) == 2

    status = json.loads(run("status", "--json").stdout)
    assert (status["spent"], status["cap"], status["left"]) == ("1", "2", "1")
    assert status["reports"][0]["state"] == "acknowledged"
    assert status["reports"][0]["roster digest"] == spoken(roster_digest(ROSTER))
    line = f"Roster digest of audit at {server.invitation.server}: {spoken(roster_digest(ROSTER))}"
    assert line in run("status").stdout.splitlines()

    assert "deleted" in run("forget", "audit").stderr
    assert json.loads(run("status", "--json").stdout)["reports"][0]["state"] == "acknowledged, forgotten"


def test_without_a_terminal_nothing_is_drawn_unless_agreed_to(run: Run, server: FailingCollector, friends: str) -> None:
    run("join", server.invitation.to_json(), "--accept", "1")
    with pytest.raises(ClientError, match="give --yes"):
        run("report", "audit", "--friends", friends, text="y\n")
    assert len(server.requests) == 1
    assert json.loads(run("status", "--json").stdout)["spent"] == "0"


@pytest.mark.attack("device")
@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("empty.txt", "", "The file holds no names."),
        ("semicolons.csv", "Account address;Show boosts\nuser10;true\nuser11;true\n", "semicolon"),
        ("tabs.txt", "user10\ttrue\nuser11\ttrue\n", "tab"),
        ("hosts.txt", "@user10@a.example\n@user11@b.example\n", "2 more would match but for the host"),
        ("strangers.txt", "ann\nbob\n", "another account or network"),
    ],
)
def test_a_file_that_matches_nobody_is_named_with_its_likely_cause(
    run: Run, server: FailingCollector, tmp_path: Path, name: str, text: str, cause: str
) -> None:
    """An empty file, one with semicolons, one of `user@host`."""
    (tmp_path / name).write_text(text)
    run("join", server.invitation.to_json(), "--accept", "1")
    with pytest.raises(ClientError):
        run("report", "audit", "--friends", str(tmp_path / name))
    said = run("report", "audit", "--friends", str(tmp_path / name), "--yes").stderr
    assert "0 of your" in said
    assert cause in said
    assert len(server.bodies) == 1


@pytest.mark.attack("device")
def test_what_yes_prints_before_the_report_leaves_is_the_same_for_every_list(
    run: Run, server: FailingCollector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a closed pipe behind the output, which stops the client where it prints more for a friend."""
    printed: list[str] = []

    def send(*_: object, **__: object) -> None:
        sys.stderr.flush()
        printed.append(cast("io.BytesIO", sys.stderr.buffer).getvalue().decode())

    for names in (["user10"], ["nobody"], [*ROSTER], []):
        monkeypatch.setenv("GRAPHLDP_CLIENT_HOME", str(tmp_path / str(len(printed))))
        (tmp_path / "friends.txt").write_text("\n".join(names))
        server.requests = []
        run("join", server.invitation.to_json(), "--accept", "1")
        with monkeypatch.context() as patch:
            patch.setattr(Client, "_send", send)
            patch.setattr("graphldp.cli.client.reporting._show_report", lambda *_, **__: None)
            told = run("report", "audit", "--friends", str(tmp_path / "friends.txt"), "--yes").stderr
        assert f"of your {len(set(names) - {ROSTER[USER]})} names are members" in told
        assert not any(name in told for name in ROSTER)
    assert len(set(printed)) == 1
    assert "names are members" not in printed[0]
    assert "the odds that one given person" in printed[0]


def typed(arguments: list[str], answer: bytes | None) -> tuple[int, str]:
    """Run the command on a terminal of its own; answer its first question, or press Ctrl-C there."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-c", AT_ONCE, "client", *arguments]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    os.close(terminal)
    seen, answered, end = b"", 0.0, time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([controller], [], [], 0.05)[0]:
            try:
                part = os.read(controller, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            seen += part
        elif process.poll() is not None:
            break
        waited = time.monotonic() - answered
        if b"[y/N]" in seen and (not answered or (answer is None and waited > 3)):
            answered = time.monotonic()
            if answer is None:
                process.send_signal(2)  # once more where it fell between the question and the wait for an answer
            else:
                os.write(controller, answer)
    code = process.wait(300)
    os.close(controller)
    return code, seen.decode()


@pytest.mark.parametrize(("answer", "code", "reports"), [(b"y\n", 0, 1), (b"n\n", 2, 0), (b"\n", 2, 0), (None, 130, 0)])
def test_the_question_on_a_terminal(
    run: Run, server: FailingCollector, friends: str, answer: bytes | None, code: int, reports: int
) -> None:
    run("join", server.invitation.to_json(), "--accept", "1")
    ended, seen = typed(["report", "audit", "--friends", friends], answer)
    assert ended == code, seen
    assert "Draw your report from this list and send it?" in seen
    assert len(server.bodies) == reports
    assert len(server.requests) == 1 + reports
    assert json.loads(run("status", "--json").stdout)["spent"] == str(reports)


def test_friends_are_ticked_by_name_on_a_terminal(run: Run, server: FailingCollector) -> None:
    """A name, some of several, one that is taken away again, one that nobody has, and numbers that are none."""
    run("join", server.invitation.to_json(), "--accept", "1")
    lines = [ROSTER[10], "user", "1 3 3 3 99 x", "nobody at all", ROSTER[11], ROSTER[11].upper(), ""]
    others = [name for number, name in enumerate(ROSTER) if number != USER]
    code, seen = talked(["report", "audit"], [*lines, "y"])
    assert code == 0, seen
    for said in (
        *("Nothing is sent yet.", "Type a longer part.", "No member has this in the name.", "You ticked 3."),
        *(f"Ticked: {ROSTER[10]}", f"Ticked: {ROSTER[11]}", f"Not ticked any more: {ROSTER[11]}"),
        f"3 of your 3 names are members of 'audit': {others[0]}, {others[2]}, {ROSTER[10]}.",
    ):
        assert said in seen.replace("\r\n", "\n")
    assert len(server.bodies) == 1
    with pytest.raises(ClientError, match="give the file with your friends"):  # there is nobody to ask
        run("report", "audit", "--new-epoch")


def talked(arguments: list[str], lines: list[str]) -> tuple[int, str]:
    """Run the command on a terminal of its own, and type a line whenever it asks for one."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-c", AT_ONCE, "client", *arguments]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    os.close(terminal)
    seen, asked, left = b"", 0, list(lines)
    while True:
        try:
            part = os.read(controller, 4096)
        except OSError:  # the other side is closed
            break
        seen += part
        if left and seen.endswith(b": ") and len(seen) > asked:
            asked = len(seen) + len(left[0])
            os.write(controller, f"{left.pop(0)}\n".encode())
    code = process.wait(300)
    os.close(controller)
    return code, seen.decode()


def test_an_invitation_as_a_file_and_as_text(run: Run, server: FailingCollector, tmp_path: Path) -> None:
    link, body = server.invitation.to_link(), server.invitation.to_json()
    for given in (link, body):
        (tmp_path / "invitation").write_text(f"{given}\n")
        for argument, text in ((str(tmp_path / "invitation"), None), (given, None), ("-", f"{given}\n")):
            assert run("join", argument, "--accept", "public", text=text).exit_code == 0
    assert json.loads(run("status", "--json").stdout)["reports"][0]["state"] == "joined"


@pytest.mark.parametrize("change", [("http:", "htp:"), ("http://", ""), ("/audit", "")])
def test_a_broken_link_is_not_repeated(run: Run, server: FailingCollector, change: tuple[str, str]) -> None:
    broken = server.invitation.to_link().replace(*change)
    for argument, text in ((broken, None), ("-", broken)):
        with pytest.raises(WireError) as refused:
            run("join", argument, "--accept", "1", text=text)
        assert server.invitation.token not in str(refused.value)
    assert server.requests == []


@pytest.mark.parametrize("accept", ["0", "-1", "much", "nan", "1/0"])
def test_bad_epsilons(run: Run, server: FailingCollector, accept: str) -> None:
    with pytest.raises(ParameterError, match="'accept' parameter"):
        run("join", server.invitation.to_json(), f"--accept={accept}")


def test_answer_and_its_status(run: Run, server: FailingCollector, friends: str) -> None:
    server.changes = {**HUB_COUNTS, "hub_from": -(10**6)}  # below every noise that there will be: everybody is asked
    run("join", "-", "--accept", "1", text=server.invitation.to_json())
    said = run("report", "audit", "--friends", friends, "--yes").stdout
    assert "you are asked how many of your friends are busy" in said
    assert "acknowledged, asked again" in json.loads(run("status", "--json").stdout)["reports"][0]["state"]
    server.question = asked((11, 12))
    shown = json.loads(run("answer", "audit", "--json").stdout)
    assert [body.hex() for body in server.answers] == [shown["bytes"]]
    degree = decode(server.bodies[0]).noisy_degree
    assert shown["answer"]["count"] + shown["quiet_friends"] == degree
    assert "costs nothing more" in run("answer", "audit", "--resend").stdout
    status = json.loads(run("status", "--json").stdout)
    assert (status["reports"][0]["state"], status["spent"]) == ("acknowledged, question answered", "1")


def test_withdraw_and_its_status(run: Run, server: FailingCollector, friends: str) -> None:
    run("join", "-", "--accept", "1", text=server.invitation.to_json())
    run("report", "audit", "--friends", friends, "--yes")
    server.mishaps = [401]
    with pytest.raises(SendError):
        run("withdraw", "audit")
    state = json.loads(run("status", "--json").stdout)["reports"][0]["state"]
    assert state == "acknowledged, withdrawn, not acknowledged"
    said = run("withdraw", "audit").stdout
    assert "Backups and exported files that the operator made before hold your report until they are deleted" in said
    assert "What a model learned from your report before stays in the model" in said
    assert json.loads(run("withdraw", "audit", "--json").stdout) == {"community": "audit", "withdrawn epochs": [1]}
    assert json.loads(run("status", "--json").stdout)["reports"][0]["state"] == "acknowledged, withdrawn"


@pytest.mark.parametrize("how", [(), ("--json",)], ids=" ".join)
def test_an_output_that_knows_no_epsilon_ends_nothing(
    run: Run, server: FailingCollector, friends: str, tmp_path: Path, how: tuple[str, ...]
) -> None:
    """What was sent is sent: the command ends well, and spells out what the output cannot write."""
    run("join", "-", "--accept", "1.5", text=server.invitation.to_json())
    command = [sys.executable, "-c", AT_ONCE, "client", "report", "audit"]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "GRAPHLDP_CLIENT_HOME": str(tmp_path / "home")}
    found = subprocess.run([*command, "--friends", friends, "--yes", *how], env=plain, capture_output=True, check=False)
    assert (found.returncode, len(server.bodies)) == (0, 1)
    assert b"Traceback" not in found.stderr
    text = found.stdout.decode("ascii")
    assert "\\u03b5" in text
    assert not how or json.loads(text)["bytes"] == server.bodies[0].hex()


def test_a_ledger_goes_from_client_to_client(run: Run, server: FailingCollector, friends: str, tmp_path: Path) -> None:
    run("join", "-", "--accept", "1", text=server.invitation.to_json())
    run("report", "audit", "--friends", friends, "--yes")
    (tmp_path / "ledger.json").write_text(run("status", "--ledger").stdout)
    other = ("--home", str(tmp_path / "other"))
    assert json.loads(run("status", "--add", str(tmp_path / "ledger.json"), "--ledger", *other).stdout) == json.loads(
        run("status", "--ledger").stdout
    )
    run("join", "-", "--accept", "1", *other, text=server.invitation.to_json())
    with pytest.raises(ClientError, match="another is never drawn"):
        run("report", "audit", "--friends", friends, "--yes", *other)
    assert len(server.bodies) == 1
