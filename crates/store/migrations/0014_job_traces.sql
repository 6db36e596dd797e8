-- The position in a trace of what queued a job (traceparent of W3C Trace Context), so that the job is in the same trace.

ALTER TABLE jobs ADD COLUMN traceparent TEXT;
