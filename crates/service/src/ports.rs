//! Clock and randomness: the two inputs that tests replace.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use model::time::{DAY_MS, Timestamp};
use uuid::Uuid;

/// The clock.
pub trait Clock: Debug + Send + Sync {
    /// Now, UTC.
    fn now(&self) -> Timestamp;
}

/// The source of randomness.
pub trait Entropy: Debug + Send + Sync {
    /// 32 random bytes.
    fn bytes(&self) -> [u8; 32];
}

/// Clock and randomness. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Ports {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl Ports {
    /// The operating system's.
    pub fn real() -> Self {
        Self { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) }
    }

    /// Now, UTC.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Seconds until midnight UTC.
    pub(crate) fn seconds_to_midnight(&self) -> u32 {
        let left = (DAY_MS - self.now().0.rem_euclid(DAY_MS)) / 1000;
        u32::try_from(left).unwrap_or_default()
    }

    /// An unguessable id that sorts by time (UUIDv7, RFC 9562 §5.7).
    pub fn id(&self) -> String {
        let millis = u64::try_from(self.now().0).unwrap_or_default();
        let [a, b, c, d, e, f, g, h, i, j, ..] = self.entropy.bytes();
        uuid::Builder::from_unix_timestamp_millis(millis, &[a, b, c, d, e, f, g, h, i, j]).into_uuid().to_string()
    }

    /// 32 random hex digits.
    pub fn nonce(&self) -> String {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = self.entropy.bytes();
        Uuid::from_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]).simple().to_string()
    }
}

#[derive(Debug)]
struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the clock")]
    fn now(&self) -> Timestamp {
        // A clock before 1970 is a broken machine; its audits are dated 1970.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

#[derive(Debug)]
struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "the source of randomness")]
    fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .expect("the operating system gives random bytes; without them no secret can be made");
        bytes
    }
}
