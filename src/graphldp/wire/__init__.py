"""All that client and collector agree on."""

from graphldp.wire.answer import ANSWER_TYPE, MAX_ANSWER, Answer
from graphldp.wire.choice import Choice
from graphldp.wire.community import (
    ID_PATTERN,
    MAX_EPOCH,
    PRIVATE_MECHANISMS,
    Publication,
    Published,
    Terms,
    write_publication,
)
from graphldp.wire.invitation import Invitation, address
from graphldp.wire.question import QUESTION_TYPE, Question
from graphldp.wire.report import (
    DEGREE_RANGE,
    FIRST_BYTE,
    MAX_EPSILON,
    MAX_HEADER,
    MAX_USERS,
    MECHANISMS,
    MEDIA_TYPE,
    MILLION,
    SMALL,
    WITH_DEGREE,
    WITH_EDGES,
    WITH_LIST,
    Report,
    ReportHead,
    decode,
    decode_head,
    encode,
    max_size,
    quantize,
    to_millionths,
)
from graphldp.wire.report_json import from_json, to_json
from graphldp.wire.roster import roster_digest, spoken
from graphldp.wire.validation import Reading, validate

__all__ = [
    "ANSWER_TYPE",
    "DEGREE_RANGE",
    "FIRST_BYTE",
    "ID_PATTERN",
    "MAX_ANSWER",
    "MAX_EPOCH",
    "MAX_EPSILON",
    "MAX_HEADER",
    "MAX_USERS",
    "MECHANISMS",
    "MEDIA_TYPE",
    "MILLION",
    "PRIVATE_MECHANISMS",
    "QUESTION_TYPE",
    "SMALL",
    "WITH_DEGREE",
    "WITH_EDGES",
    "WITH_LIST",
    "Answer",
    "Choice",
    "Invitation",
    "Publication",
    "Published",
    "Question",
    "Reading",
    "Report",
    "ReportHead",
    "Terms",
    "address",
    "decode",
    "decode_head",
    "encode",
    "from_json",
    "max_size",
    "quantize",
    "roster_digest",
    "spoken",
    "to_json",
    "to_millionths",
    "validate",
    "write_publication",
]
