"""What commands and options were called before the first release. It goes with the next one."""

from __future__ import annotations

from itertools import takewhile

from graphldp.errors import ParameterError

RENAMED = {
    "datasets": "dataset",
    "mechanisms": "mechanism",
    "threats": "threat",
    "evaluate": "predict --evaluate",
    "audit mechanism": "audit",
    "client ledger": "client status --ledger",
    "collect audit-log": "collect log",
    "collect audit-log show": "collect log",
    "collect audit-log verify": "collect log --verify",
    "collect class list": "collect class",
    "collect class name": "collect class",
    "collect community label": "collect community change --class",
    "collect community list": "collect community show",
    "collect community rename": "collect community change --name",
    "collect delete-report": "collect community delete --user",
    "collect held": "collect missing --epochs",
    "collect jobs": "collect job",
    "collect jobs start": "collect job train",
    "collect jobs stop": "collect job stop",
    "collect operator allow": "collect operator add --oidc",
    "collect operator disallow": "collect operator remove --oidc",
    "collect operator role": "collect operator change --role",
    "collect operator rotate": "collect operator change --new-key",
    "collect sealing list": "collect sealing",
    "collect sealing rotate": "collect sealing --rotate",
    "collect community create --label": "collect community create --class",
    "collect label-users --labels": "collect label-users --classes",
    "collect train --recommended": "collect train",
    "defend --theta": "defend --defense 'threshold theta=0.05'",
    **{f"bench {name}": "bench" for name in ("dense", "nodes", "randomize", "recipe", "train")},
    "train --together": "train --model together=1",
    **{f"{name} --allowance": f"{name} --defense 'recommended allowance=0.05'" for name in ("train", "collect train")},
    "train --no-half": "train --model half=no",
    **{f"{name} {option}": f"{name} --liars" for name in ("train", "attack") for option in ("--fraction", "-f")},
    **{f"{name} --honest-degree": f"{name} --attack 'random degree=honest'" for name in ("train", "attack")},
    **{f"{name} --treatment": f"{name} --defense 'threshold treatment=empty'" for name in ("train", "defend")},
    **{
        f"{name} --{option}": f"{name} --mechanism 'NAME {option.replace('-', '_')}=…'"
        for name in ("train", "randomize", "collect community create")
        for option in ("allocation", "alpha", "noise", "sampling", "categories", "low", "high", "n-max")
    },
    **{
        f"train --{option}": f"train --model '{option}=…'"
        for option in (
            *("layers", "hidden", "dropout", "lr", "readout", "convolution", "features", "graph-features"),
            *("directions", "weights", "batch-size", "max-epochs", "half"),
        )
    },
}
"""Old words after ``graphldp``, and the new ones."""


def refuse_old(words: list[str]) -> None:
    """Say what a command or an option is called now.

    Raises:
        ParameterError: for an old name.
    """
    names = [*takewhile(lambda word: not word.startswith("-"), words)]
    given = [word.partition("=")[0] if word.startswith("--") else word[:2] for word in words if word.startswith("-")]
    for count in range(len(names), 0, -1):
        command = " ".join(names[:count])
        for old in (command, *(f"{command} {option}" for option in given)):
            if old in RENAMED:
                raise ParameterError(f"'graphldp {old}' is 'graphldp {RENAMED[old]}' now.")
