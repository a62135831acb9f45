"""Runs migrations on the connection that :func:`graphldp.collector.storage.database.migrate` opened."""

from alembic import context

from graphldp.collector.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
