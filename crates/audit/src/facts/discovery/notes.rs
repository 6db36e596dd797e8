//! How a verdict is worded: what was measured, what is wrong with it, what is worth knowing.

use model::discovery::DiscoveryStatus;
use model::lang::{Phrase, Text, Value};

/// Characters kept of text that was found and is quoted in a message.
const QUOTED_CHARACTERS: usize = 100;

/// A verdict and its sentence.
pub(super) type Judged = (DiscoveryStatus, Phrase);

/// Judged in the end, or judged early by a rule that all probes share.
pub(super) type ProbeOutcome = Result<Judged, Judged>;

/// Absent, or worth knowing.
pub(super) fn info(text: Text, values: &[(&str, Value)]) -> Judged {
    (DiscoveryStatus::Info, text.phrase(values))
}

/// Present and wrong.
pub(super) fn warn(text: Text, values: &[(&str, Value)]) -> Judged {
    (DiscoveryStatus::Warn, text.phrase(values))
}

/// Present and right.
pub(super) fn pass(text: Text, values: &[(&str, Value)]) -> Judged {
    (DiscoveryStatus::Pass, text.phrase(values))
}

/// Not known.
pub(super) fn unverified(text: Text, values: &[(&str, Value)]) -> Judged {
    (DiscoveryStatus::Unverified, text.phrase(values))
}

/// Clauses on one file: each begins in lower case and has no full stop.
#[derive(Debug, Default)]
pub(super) struct Notes {
    wrong: Vec<Phrase>,
    hints: Vec<Phrase>,
    remarks: Vec<Phrase>,
}

impl Notes {
    /// Something is wrong: the verdict is at least a warning.
    pub(super) fn wrong(&mut self, clause: Text, values: &[(&str, Value)]) {
        self.wrong.push(clause.phrase(values));
    }

    /// Something is worth knowing: the verdict is no pass.
    pub(super) fn hint(&mut self, clause: Text, values: &[(&str, Value)]) {
        self.hints.push(clause.phrase(values));
    }

    /// Something is told beside the verdict, and does not change it.
    pub(super) fn remark(&mut self, clause: Text, values: &[(&str, Value)]) {
        self.remarks.push(clause.phrase(values));
    }

    /// The verdict over all clauses, after a whole sentence with what was measured.
    pub(super) fn verdict(self, measured: Text, values: &[(&str, Value)]) -> Judged {
        let status = match (self.wrong.is_empty(), self.hints.is_empty()) {
            (false, _) => DiscoveryStatus::Warn,
            (true, false) => DiscoveryStatus::Info,
            (true, true) => DiscoveryStatus::Pass,
        };
        let measured = measured.phrase(values);
        let also: Vec<Phrase> = self.hints.into_iter().chain(self.remarks).collect();
        let say = |measured: &str, labels: [&str; 2], clause: fn(&Phrase) -> &str| {
            let mut out = measured.to_owned();
            for (label, clauses) in labels.into_iter().zip([&self.wrong, &also]) {
                if !clauses.is_empty() {
                    let clauses: Vec<&str> = clauses.iter().map(clause).collect();
                    out.push_str(&format!(" {label}: {}.", clauses.join("; ")));
                }
            }
            out
        };
        let en = say(&measured.en, ["To fix", "Worth knowing"], |phrase| &phrase.en);
        let pt = say(&measured.pt, ["A corrigir", "Vale saber"], |phrase| &phrase.pt);
        (status, Phrase { en, pt })
    }
}

/// Found text for a message: one line, no control characters, cut at [`QUOTED_CHARACTERS`].
pub(super) fn quoted(text: &str) -> Value {
    let mut plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut out: String = plain.by_ref().take(QUOTED_CHARACTERS).collect();
    if plain.next().is_some() {
        out.push('…');
    }
    out.trim().into()
}

/// Names for a message, joined; the first ten of them.
pub(super) fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Value {
    let names: Vec<&str> = names.into_iter().take(10).collect();
    quoted(&names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lang::text;

    #[test]
    fn clauses_decide_the_status_and_follow_the_measure() {
        const FILE: Text = text("{count} {count|link|links}.", "{count} {count|link|links}.");
        let values = [("count", 1usize.into())];
        assert_eq!(Notes::default().verdict(FILE, &values).0, DiscoveryStatus::Pass);
        let mut notes = Notes::default();
        notes.remark(text("a remark", "uma nota"), &[]);
        notes.hint(text("a hint", "uma dica"), &[]);
        assert_eq!(
            notes.verdict(FILE, &values),
            (
                DiscoveryStatus::Info,
                Phrase {
                    en: "1 link. Worth knowing: a hint; a remark.".to_owned(),
                    pt: "1 link. Vale saber: uma dica; uma nota.".to_owned()
                }
            )
        );
        let mut notes = Notes::default();
        notes.wrong(text("one", "um"), &[]);
        notes.wrong(text("two", "dois"), &[]);
        let (status, phrase) = notes.verdict(FILE, &values);
        assert_eq!((status, phrase.en.as_str()), (DiscoveryStatus::Warn, "1 link. To fix: one; two."));
    }

    #[test]
    fn quoted_text_is_short_and_on_one_line() {
        assert_eq!(quoted("a\r\nb\u{1b}[2J"), Value::Text("a  b [2J".to_owned()));
        let Value::Text(long) = quoted(&"é".repeat(500)) else { unreachable!("a text") };
        assert_eq!(long.chars().count(), QUOTED_CHARACTERS + 1);
    }
}
