"""Taught to schemathesis: what the bodies of reports and answers look like. Half of them are real ones."""

import schemathesis
from hypothesis import strategies as st
from tests.collector.people import report

from graphldp import wire

bodies = st.one_of(st.builds(report, st.integers(0, 49)), st.binary(max_size=60))
schemathesis.openapi.media_type(wire.MEDIA_TYPE, bodies)


def answer(user: int, busy: int) -> bytes:
    return wire.Answer(50, user, "0" * 64, busy).encode()


answers = st.one_of(st.builds(answer, st.integers(0, 49), st.integers(-5, 50)), st.binary(max_size=60))
schemathesis.openapi.media_type(wire.ANSWER_TYPE, answers)
