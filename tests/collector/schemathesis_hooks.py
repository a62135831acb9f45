"""Taught to schemathesis: what the body of a report looks like. Half of them are real ones."""

import schemathesis
from hypothesis import strategies as st
from tests.collector.people import report

from graphldp import wire

bodies = st.one_of(st.builds(report, st.integers(0, 49)), st.binary(max_size=60))
schemathesis.openapi.media_type(wire.MEDIA_TYPE, bodies)
