"""Reads exports of traces, a JSON text a line of the standard input, by the published definitions of OTLP. Fails where one has
a field or a type that these do not have."""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

# OTLP writes ids in hexadecimal digits, where the JSON of Protobuf has base 64.
IDS = ("traceId", "spanId", "parentSpanId")


def as_protobuf(value):
    if isinstance(value, list):
        return [as_protobuf(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64encode(bytes.fromhex(each)).decode() if name in IDS else as_protobuf(each)
        for name, each in value.items()
    }


spans = 0
for line in sys.stdin:
    request = json_format.ParseDict(as_protobuf(json.loads(line)), ExportTraceServiceRequest())
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                assert (len(span.trace_id), len(span.span_id)) == (16, 8), span
                assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano, span
                spans += 1
print(spans)
