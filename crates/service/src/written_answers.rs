//! Answers that were written a moment ago, under names that stand for all that they depend on: a change of any of it is another
//! name, so nothing here is ever out of date, whichever server made the change. Whether a caller may read an answer is decided
//! before it is looked up.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

/// Bytes of all kept answers at most. Chosen: some hundred reports, little beside the memory of an audit of each core.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Bytes that each kept answer takes besides its body, at most, so that small ones are counted too.
const OWN_BYTES: usize = 512;
/// How long an answer is kept. Chosen: a minute, so that what was deleted does not stay in memory; the next look forgets it.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// A digest of all that an answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerName(pub [u8; 32]);

impl AnswerName {
    /// The name of an answer that depends on `parts` and nothing else. An absent part is told from an empty one.
    pub fn of<'p>(parts: impl IntoIterator<Item = Option<&'p str>>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            // With its length before it, so that no two lists of parts are the same bytes.
            digest.update(part.map_or(usize::MAX, str::len).to_le_bytes());
            digest.update(part.unwrap_or_default());
        }
        Self(digest.finalize().into())
    }
}

/// A written answer. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WrittenAnswer {
    /// Its media type.
    pub media_type: &'static str,
    /// Its body.
    pub body: Bytes,
    /// SHA-256 of the body.
    pub digest: [u8; 32],
}

impl WrittenAnswer {
    /// An answer with its digest.
    pub fn new(media_type: &'static str, body: Bytes) -> Self {
        Self { media_type, digest: Sha256::digest(&body).into(), body }
    }

    fn bytes(&self) -> usize {
        self.body.len().saturating_add(OWN_BYTES)
    }
}

/// The answers that were written last.
#[derive(Debug, Default)]
pub struct WrittenAnswers(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_name: BTreeMap<AnswerName, WrittenAnswer>,
    /// Oldest first, with the moment of writing.
    order: VecDeque<(Instant, AnswerName)>,
    /// Of all of them.
    bytes: usize,
}

impl WrittenAnswers {
    /// The answer of a name, where it was written within the last minute and is still kept.
    pub fn get(&self, name: &AnswerName) -> Option<WrittenAnswer> {
        // A poisoned lock may hold a name without an answer, which is none, and counts too many bytes at worst.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.forget_old(Instant::now());
        kept.by_name.get(name).cloned()
    }

    /// Keeps an answer, in place of the oldest ones where there are too many bytes.
    pub fn keep(&self, name: AnswerName, answer: WrittenAnswer) {
        if answer.bytes() > MOST_BYTES {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        kept.forget_old(now);
        if kept.by_name.contains_key(&name) {
            return;
        }
        while kept.bytes.saturating_add(answer.bytes()) > MOST_BYTES && kept.forget_first() {}
        kept.bytes = kept.bytes.saturating_add(answer.bytes());
        kept.order.push_back((now, name));
        kept.by_name.insert(name, answer);
    }
}

impl Kept {
    fn forget_old(&mut self, now: Instant) {
        while self.order.front().is_some_and(|(at, _)| now.duration_since(*at) >= KEPT_FOR) {
            self.forget_first();
        }
    }

    /// Forgets the oldest answer; `false` where there is none.
    fn forget_first(&mut self) -> bool {
        let Some((_, name)) = self.order.pop_front() else { return false };
        if let Some(answer) = self.by_name.remove(&name) {
            self.bytes = self.bytes.saturating_sub(answer.bytes());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(part: &str) -> AnswerName {
        AnswerName::of([Some(part)])
    }

    fn answer(bytes: usize) -> WrittenAnswer {
        WrittenAnswer::new("application/json", vec![b' '; bytes].into())
    }

    #[test]
    fn a_name_is_of_each_part() {
        let lists: [&[Option<&str>]; 5] = [
            &[Some("ab"), Some("c")],
            &[Some("a"), Some("bc")],
            &[Some("abc"), Some("")],
            &[Some("abc"), None],
            &[Some("abc")],
        ];
        let names = lists.map(|parts| AnswerName::of(parts.iter().copied()));
        for (at, name) in names.iter().enumerate() {
            assert_eq!(names.iter().position(|other| other == name), Some(at));
        }
        assert_eq!(name("abc"), names[4]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_kept_for_a_minute() {
        let answers = WrittenAnswers::default();
        answers.keep(name("a"), answer(3));
        assert_eq!(answers.get(&name("a")).unwrap().body, "   ");
        assert!(answers.get(&name("b")).is_none());
        tokio::time::advance(KEPT_FOR - Duration::from_millis(1)).await;
        assert!(answers.get(&name("a")).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(answers.get(&name("a")).is_none());
        assert_eq!(answers.0.lock().unwrap().bytes, 0);
    }

    #[tokio::test]
    async fn the_oldest_make_room() {
        let answers = WrittenAnswers::default();
        let third = MOST_BYTES / 3 - OWN_BYTES;
        for one in ["a", "b", "c", "c", "d"] {
            answers.keep(name(one), answer(third));
        }
        assert!(answers.get(&name("a")).is_none());
        for one in ["b", "c", "d"] {
            assert!(answers.get(&name(one)).is_some(), "{one}");
        }
        answers.keep(name("e"), answer(MOST_BYTES));
        assert!(answers.get(&name("e")).is_none() && answers.get(&name("d")).is_some(), "too long for all");
        assert!(answers.0.lock().unwrap().bytes <= MOST_BYTES);
    }
}
