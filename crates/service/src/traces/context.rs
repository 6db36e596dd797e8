//! The position of a span in a trace, as callers send it: the header `traceparent` (W3C Trace Context, section 3.2).

use std::fmt;

/// Length of the header in version `00`.
const LENGTH: usize = 55;
/// The flag of a trace that whoever began it records (section 3.2.2.5.1).
const SAMPLED: u8 = 1;

/// The position of a span in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    /// Id of the trace; not zero.
    pub trace: [u8; 16],
    /// Id of the span; not zero.
    pub span: [u8; 8],
    /// Whether whoever began the trace records it.
    pub is_sampled: bool,
}

impl TraceContext {
    /// Reads the header `traceparent`; `None` where it is not valid. A later version is read as version `00`, as far as that
    /// goes (section 4.3).
    pub fn read(header: &str) -> Option<Self> {
        let (known, rest) = header.split_at_checked(LENGTH)?;
        let mut parts = known.split('-');
        let [version] = bytes(parts.next()?)?;
        let trace: [u8; 16] = bytes(parts.next()?)?;
        let span: [u8; 8] = bytes(parts.next()?)?;
        let [flags] = bytes(parts.next()?)?;
        let is_whole = match version {
            0xff => false,
            0 => rest.is_empty(),
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        if parts.next().is_some() || !is_whole || trace == [0; 16] || span == [0; 8] {
            return None;
        }
        Some(Self { trace, span, is_sampled: flags & SAMPLED != 0 })
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", hex(&self.trace), hex(&self.span), u8::from(self.is_sampled))
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// As many bytes, in lower-case hexadecimal digits.
fn bytes<const COUNT: usize>(digits: &str) -> Option<[u8; COUNT]> {
    data_encoding::HEXLOWER.decode(digits.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_is_read_and_written() {
        let context = TraceContext::read(HEADER).unwrap();
        assert_eq!((context.trace[0], context.span[7], context.is_sampled), (0x4b, 0xb7, true));
        assert_eq!(context.to_string(), HEADER);
        assert!(!TraceContext::read(&HEADER.replace("-01", "-02")).unwrap().is_sampled);
        // A later version, with more fields.
        for later in [HEADER.replacen("00-", "cc-", 1), HEADER.replacen("00-", "cc-", 1) + "-what-comes"] {
            assert_eq!(TraceContext::read(&later), Some(context), "{later}");
        }
    }

    #[test]
    fn what_is_not_valid_is_none() {
        for header in [
            "",
            "00",
            &HEADER.replacen("00-", "ff-", 1),
            &HEADER.to_uppercase(),
            &(HEADER.to_owned() + "-more"),
            &(HEADER.replacen("00-", "cc-", 1) + "more"),
            &HEADER.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &HEADER.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &HEADER.replace('-', "_"),
            &HEADER.replace("4bf9", "4bg9"),
            &HEADER.replacen('4', "é", 1),
            &"-".repeat(55),
        ] {
            assert_eq!(TraceContext::read(header), None, "{header}");
        }
    }
}
