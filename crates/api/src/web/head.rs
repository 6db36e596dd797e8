//! Validation of a request's head, before anything else reads it.

use axum::extract::Request;
use http::uri::Authority;
use http::{HeaderValue, Version, header};
use model::lang::text;

use service::error::{Code, ServiceError};

/// Bytes of a head, its first line included: what nginx takes in all, and several times what browsers send.
pub(super) const HEAD_BYTES: usize = 64 * 1024;

/// Refuses a head that is too long, one that leaves open which host it is for (RFC 9112 §3.2), and one that has a length
/// beside chunks, which a proxy may read otherwise (§6.3).
pub(super) fn judge(request: &Request) -> Result<(), ServiceError> {
    // The connection's own limit is one of its buffer, which a head that comes in one piece may pass.
    if length(request) > HEAD_BYTES {
        let most = text(
            "the request head can have at most {bytes} bytes",
            "os cabeçalhos da requisição podem ter no máximo {bytes} bytes",
        );
        return Err(ServiceError::new(Code::HeadersTooLarge).explained(most.phrase(&[("bytes", HEAD_BYTES.into())])));
    }
    let fields = request.headers();
    if fields.contains_key(header::CONTENT_LENGTH) && fields.contains_key(header::TRANSFER_ENCODING) {
        let both = text(
            "send either Content-Length or Transfer-Encoding",
            "envie Content-Length ou Transfer-Encoding, não os dois",
        );
        return Err(ServiceError::new(Code::InvalidParameter).explained(both.into()));
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let is_good = match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host),
        (None, _) => request.version() < Version::HTTP_11,
        (Some(_), Some(_)) => false,
    };
    if is_good {
        return Ok(());
    }
    let once = text("Host: send one Host header with one host", "Host: envie um cabeçalho Host com um só host");
    Err(ServiceError::new(Code::InvalidParameter).explained(once.into()))
}

/// Bytes of the head as it was sent, without insignificant white space.
fn length(request: &Request) -> usize {
    const FIRST_LINE: usize = "  HTTP/1.1\r\n".len();
    const OF_FIELD: usize = ": \r\n".len();
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + OF_FIELD);
    request.method().as_str().len() + target + FIRST_LINE + fields.sum::<usize>()
}

/// Whether it is a host with an optional port, or nothing, as for a target without one.
fn is_host(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    bytes.is_empty() || Authority::try_from(bytes).is_ok_and(|host| !host.as_str().contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn judged(version: Version, fields: &[(&str, &str)]) -> Option<&'static str> {
        let mut request = Request::builder().uri("/api/health").version(version);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        judge(&request.body(Body::empty()).unwrap()).err().map(|error| error.code.wire())
    }

    #[test]
    fn a_request_names_one_host_and_one_length() {
        for (fields, wanted) in [
            (&[("host", "a.example:8080")][..], None),
            (&[("host", "[::1]:80")], None),
            (&[("host", "")], None),
            (&[], Some("invalid_parameter")),
            (&[("host", "a"), ("host", "a")], Some("invalid_parameter")),
            (&[("host", "a b")], Some("invalid_parameter")),
            (&[("host", "u@a")], Some("invalid_parameter")),
            (&[("host", "a"), ("content-length", "1")], None),
            (&[("host", "a"), ("transfer-encoding", "chunked")], None),
            (&[("host", "a"), ("content-length", "1"), ("transfer-encoding", "chunked")], Some("invalid_parameter")),
        ] {
            assert_eq!(judged(Version::HTTP_11, fields), wanted, "{fields:?}");
        }
        assert_eq!(judged(Version::HTTP_10, &[]), None);
    }

    #[test]
    fn l01_a_head_has_a_limit_in_all() {
        let half = "a".repeat(HEAD_BYTES / 2);
        assert_eq!(judged(Version::HTTP_11, &[("host", "a"), ("x-a", &half)]), None);
        let both = [("host", "a"), ("x-a", half.as_str()), ("x-b", &half)];
        assert_eq!(judged(Version::HTTP_11, &both), Some("headers_too_large"));
    }
}
