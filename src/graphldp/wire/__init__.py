"""All that client and collector agree on."""

from graphldp.wire.answer import ANSWER_TYPE, MAX_ANSWER, Answer
from graphldp.wire.choice import Choice
from graphldp.wire.codes.counts import MAX_GROUPS, most_groups
from graphldp.wire.community import (
    ID_PATTERN,
    MAX_EPOCH,
    Publication,
    Published,
    write_publication,
)
from graphldp.wire.invitation import Invitation, address
from graphldp.wire.question import QUESTION_TYPE, Question
from graphldp.wire.reading.bulk import PlainReports, read_plain
from graphldp.wire.reading.validation import Reading, validate
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
    WITH_COUNTS,
    WITH_DEGREE,
    WITH_EDGES,
    WITH_EPSILON1,
    WITH_HUBS,
    Report,
    ReportHead,
    decode,
    decode_head,
    encode,
    max_size,
    may_lack_list,
    quantize,
    to_millionths,
)
from graphldp.wire.report_json import from_json, to_json
from graphldp.wire.roster import plain, roster_digest, spoken
from graphldp.wire.sealed import Inner, Sealed, inner_size, key_id, sealing_info
from graphldp.wire.terms import PRIVATE_MECHANISMS, Terms

__all__ = [
    "ANSWER_TYPE",
    "DEGREE_RANGE",
    "FIRST_BYTE",
    "ID_PATTERN",
    "MAX_ANSWER",
    "MAX_EPOCH",
    "MAX_EPSILON",
    "MAX_GROUPS",
    "MAX_HEADER",
    "MAX_USERS",
    "MECHANISMS",
    "MEDIA_TYPE",
    "MILLION",
    "PRIVATE_MECHANISMS",
    "QUESTION_TYPE",
    "SMALL",
    "WITH_COUNTS",
    "WITH_DEGREE",
    "WITH_EDGES",
    "WITH_EPSILON1",
    "WITH_HUBS",
    "Answer",
    "Choice",
    "Inner",
    "Invitation",
    "PlainReports",
    "Publication",
    "Published",
    "Question",
    "Reading",
    "Report",
    "ReportHead",
    "Sealed",
    "Terms",
    "address",
    "decode",
    "decode_head",
    "encode",
    "from_json",
    "inner_size",
    "key_id",
    "max_size",
    "may_lack_list",
    "most_groups",
    "plain",
    "quantize",
    "read_plain",
    "roster_digest",
    "sealing_info",
    "spoken",
    "to_json",
    "to_millionths",
    "validate",
    "write_publication",
]
