//! Errors that browsers report of our own pages: redacted, merged by minute, and logged. Of each, code, phase and page are
//! counted; nothing else is stored.

mod redaction;
mod report;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::time::Timestamp;

use crate::counting::Event;
use crate::network::Network;

pub use redaction::redacted;
pub use report::BrowserError;

/// Bytes of a report that are read at most: the longest message and stack fit.
pub const REPORT_BYTES: usize = 16 * 1024;

/// Reports of one network and minute that are looked at.
const PER_NETWORK: u32 = 60;
/// Reports of a minute that are looked at. Chosen: a second or two of one core, whatever is sent.
const PER_MINUTE: u32 = 3_000;
/// Distinct errors of a minute that are told apart. Chosen: far more than a defect of a page causes.
const DISTINCT: usize = 500;
/// Milliseconds of a minute.
const MINUTE_MS: i64 = 60_000;

/// What makes two reports repeats of one error: code, phase, path, and the first line of the stack.
type ErrorKey = (String, String, String, String);

/// Reports of the current minute.
#[derive(Debug, Default)]
pub struct BrowserErrors(Mutex<MinuteOfErrors>);

#[derive(Debug, Default)]
struct MinuteOfErrors {
    minute: i64,
    /// Reports that were looked at, in all and by network.
    admitted: u32,
    networks: HashMap<Network, u32>,
    seen: BTreeMap<ErrorKey, (BrowserError, u32)>,
    /// Reports past a limit.
    dropped: u32,
}

impl BrowserErrors {
    /// Takes the reports in a body, at most [`REPORT_BYTES`] of it: one of our own pages, or reports of a browser about
    /// violations of the Content-Security-Policy. What is none is dropped. The result
    /// is what to count of them.
    pub fn take(&self, network: Network, body: &[u8], now: Timestamp) -> Vec<Event> {
        if !self.current().admit(network, now) {
            return Vec::new();
        }
        // Redaction takes time: not under the lock.
        let reports = report::read(body);
        let events = reports.iter().map(|report| {
            let (code, phase, path) = (report.code.clone(), report.phase.clone(), report.path.clone());
            Event::ClientError { code, phase, path }
        });
        let events = events.collect();
        let mut current = self.current();
        for report in reports {
            current.add(report);
        }
        events
    }

    /// Logs the errors of a minute that is over: one line each, with their number.
    pub fn flush(&self, now: Timestamp) {
        self.current().turn(now);
    }

    /// Logs what is left, before the process ends.
    pub fn finish(&self) {
        self.current().log();
    }

    fn current(&self) -> MutexGuard<'_, MinuteOfErrors> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MinuteOfErrors {
    /// Ends the minute before that of `now`.
    fn turn(&mut self, now: Timestamp) {
        let minute = now.0.div_euclid(MINUTE_MS);
        if minute != self.minute {
            self.log();
            self.minute = minute;
        }
    }

    fn log(&mut self) {
        self.networks.clear();
        self.admitted = 0;
        for (error, count) in std::mem::take(&mut self.seen).into_values() {
            let BrowserError { code, phase, path, message, stack, source, line, column, visible } = error;
            tracing::warn!(
                code,
                phase,
                path,
                message,
                stack,
                source,
                line,
                column,
                visivel = visible,
                count,
                "a page failed in a browser"
            );
        }
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            tracing::warn!(dropped, "browser error reports exceeded the limit");
        }
    }

    /// Counts a report; whether it is looked at.
    fn admit(&mut self, network: Network, now: Timestamp) -> bool {
        self.turn(now);
        let is_taken = self.admitted < PER_MINUTE && {
            let reports = self.networks.entry(network).or_default();
            *reports = reports.saturating_add(1);
            *reports <= PER_NETWORK
        };
        if is_taken {
            self.admitted += 1;
        } else {
            self.dropped = self.dropped.saturating_add(1);
        }
        is_taken
    }

    fn add(&mut self, error: BrowserError) {
        let first_line = error.stack.lines().next().unwrap_or_default().to_owned();
        let key = (error.code.clone(), error.phase.clone(), error.path.clone(), first_line);
        let is_full = self.seen.len() >= DISTINCT;
        match self.seen.get_mut(&key) {
            Some((_, count)) => *count = count.saturating_add(1),
            None if is_full => self.dropped = self.dropped.saturating_add(1),
            None => {
                self.seen.insert(key, (error, 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_769_851_800_000);

    fn network(last: u8) -> Network {
        Network::of([203, 0, 113, last].into())
    }

    fn body(path: &str, stack: &str) -> Vec<u8> {
        json!({"code": "UI-JS-001", "phase": "run", "path": path, "stack": stack}).to_string().into_bytes()
    }

    fn counts(errors: &BrowserErrors) -> Vec<(String, u32)> {
        let current = errors.0.lock().unwrap();
        current.seen.values().map(|(error, count)| (error.path.clone(), *count)).collect()
    }

    #[test]
    fn repeats_of_a_minute_are_one_line() {
        let errors = BrowserErrors::default();
        for (path, stack) in [("/", "a\nb"), ("/", "a\nc"), ("/", "b"), ("/tools", "a"), ("/?q=1", "a")] {
            errors.take(network(1), &body(path, stack), NOW);
        }
        let path = |path: &str, count| (path.to_owned(), count);
        assert_eq!(counts(&errors), [path("/", 3), path("/", 1), path("/tools", 1)]);
        errors.flush(NOW.plus_ms(59_999));
        assert_eq!(counts(&errors).len(), 3);
        errors.flush(NOW.plus_ms(60_000));
        assert!(counts(&errors).is_empty());
    }

    #[test]
    fn a_flood_of_one_network_leaves_others_theirs() {
        let errors = BrowserErrors::default();
        for _ in 0..10_000 {
            errors.take(network(1), &body("/", "a"), NOW);
        }
        errors.take(network(2), &body("/", "a"), NOW);
        assert_eq!(counts(&errors), [("/".to_owned(), 61)]);
        assert_eq!(errors.0.lock().unwrap().dropped, 10_000 - 60);
    }

    #[test]
    fn a_minute_is_bounded() {
        let errors = BrowserErrors::default();
        for number in 0..20_000_u32 {
            let from = Network::of(std::net::Ipv4Addr::from(0x0a00_0000 + number).into());
            errors.take(from, &body("/", &format!("line {number}")), NOW);
        }
        let current = errors.0.lock().unwrap();
        assert_eq!((current.seen.len(), current.networks.len()), (500, 3_000));
        assert_eq!(current.dropped, 20_000 - 500);
    }

    #[test]
    fn the_longest_message_and_stack_fit_into_16_kib() {
        let report = json!({"code": "UI-JS-001", "phase": "run", "path": "/".repeat(200), "source": "/".repeat(200),
            "message": "a".repeat(2_000), "stack": "a".repeat(12_000)});
        assert!(report.to_string().len() <= REPORT_BYTES);
        assert_eq!(REPORT_BYTES, 16 * 1024);
    }
}
