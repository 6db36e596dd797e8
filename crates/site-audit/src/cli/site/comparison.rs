//! What broke and what was fixed between two runs of a site.

use std::collections::{BTreeMap, BTreeSet};

use audit::checks;
use model::finding::Severity;
use model::lang::{Lang, Text, text};
use render::shown::printable;
use site::{SiteFacts, report};

/// Codes shown, each with an address.
const MOST_SHOWN: usize = 50;

/// A finding at an address, and how bad it is.
type Found = BTreeMap<(String, String), Severity>;

/// What changed: by code and address.
#[derive(Debug)]
pub(super) struct Changes {
    broke: Found,
    fixed: Found,
}

impl Changes {
    /// Of the findings of pages that both runs asked, and of the site.
    pub(super) fn between(before: &SiteFacts, after: &SiteFacts) -> Self {
        let urls =
            |site: &SiteFacts| -> BTreeSet<String> { site.pages().map(|(id, _)| site.url(id).to_owned()).collect() };
        let (old, new) = (urls(before), urls(after));
        let (was, is) = (found(before, &new), found(after, &old));
        let less = |from: &Found, other: &Found| -> Found {
            let left = from.iter().filter(|(key, _)| !other.contains_key(*key));
            left.map(|(key, severity)| (key.clone(), *severity)).collect()
        };
        Self { broke: less(&is, &was), fixed: less(&was, &is) }
    }

    /// The most severe of what broke.
    pub(super) fn worst(&self) -> Option<Severity> {
        self.broke.values().min().copied()
    }

    /// What changed, a line each.
    pub(super) fn text(&self, lang: Lang) -> String {
        const BROKE: Text = text("Broke", "Quebrou");
        const FIXED: Text = text("Fixed", "Corrigido");
        const NOTHING: Text = text("Nothing was fixed and nothing broke.", "Nada foi corrigido e nada quebrou.");
        const MORE: Text = text("… and {count} more", "… e mais {count}");
        let mut lines = vec![String::new()];
        for (word, found) in [(BROKE, &self.broke), (FIXED, &self.fixed)] {
            for (code, url) in found.keys().take(MOST_SHOWN) {
                lines.push(printable(&format!("{}: {code} — {url}", word.in_lang(lang))));
            }
            let left = found.len().saturating_sub(MOST_SHOWN);
            if left > 0 {
                lines.push(MORE.phrase(&[("count", left.into())]).in_lang(lang).to_owned());
            }
        }
        if lines.len() == 1 {
            lines.push(NOTHING.in_lang(lang).to_owned());
        }
        lines.join("\n") + "\n"
    }
}

/// Findings of a site and of its pages that are among `urls`.
fn found(site: &SiteFacts, urls: &BTreeSet<String>) -> Found {
    let mut found = Found::new();
    for finding in report(site).findings {
        for case in finding.cases {
            found.insert((finding.code.to_owned(), case.url), finding.severity);
        }
    }
    for (id, _) in site.pages().filter(|(id, _)| urls.contains(site.url(*id))) {
        for code in site.codes_of(id) {
            let severity = checks::find(code).map_or(Severity::Info, |check| check.severity);
            found.insert((code.to_owned(), site.url(id).to_owned()), severity);
        }
    }
    found
}
