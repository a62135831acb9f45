"""Reports lose their foreign key, which cost PostgreSQL as much as the reports themselves."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Drop it; SQLite copies the table to do so."""
    with op.batch_alter_table("reports") as reports:
        reports.drop_constraint("fk_reports_community_communities", type_="foreignkey")
