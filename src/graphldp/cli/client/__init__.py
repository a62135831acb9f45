"""``graphldp client``: join, report once, answer once, see what was spent, withdraw, forget; look at a page."""

from __future__ import annotations

import typer

from graphldp.cli.client import answer, forget, join, ledger, report, status, verify_web, withdraw

app = typer.Typer(
    help="Report your friends to a community, noisily and once. Your list stays on this device.",
    epilog="Example: graphldp client join invitation.json --accept 1 && "
    "graphldp client report cats --friends following_accounts.csv --dry-run",
    no_args_is_help=True,
)
app.command(epilog=join.EPILOG)(join.join)
app.command(epilog=report.EPILOG)(report.report)
app.command(epilog=answer.EPILOG)(answer.answer)
app.command(epilog=status.EPILOG)(status.status)
app.command(epilog=ledger.EPILOG)(ledger.ledger)
app.command(epilog=withdraw.EPILOG)(withdraw.withdraw)
app.command(epilog=forget.EPILOG)(forget.forget)
app.command(epilog=verify_web.EPILOG)(verify_web.verify_web)
