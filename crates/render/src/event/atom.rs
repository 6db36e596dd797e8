//! A feed of events (Atom, RFC 4287).

use audit::escape::xml_text;
use model::lang::Lang;
use model::page_event::PageEvent;
use model::time::Timestamp;

use super::headline::{alarm, changes, headline, unchanged};

/// What a feed says of itself.
#[derive(Debug)]
pub struct FeedHead<'a> {
    /// Its id, a UUID, which stays for good (§4.2.6).
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Name of the service, the author of its entries (§4.1.1).
    pub author: &'a str,
    /// When it was made, the time of a feed without entries.
    pub created_at: Timestamp,
}

/// An entry of a feed.
#[derive(Debug)]
pub struct FeedEntry {
    /// Id of the event, a UUID.
    pub id: String,
    /// The event.
    pub event: PageEvent,
}

/// The feed with its entries, in their order. It names no address of its own (`self`): that is a secret.
pub fn atom(head: &FeedHead<'_>, entries: &[FeedEntry], lang: Lang) -> String {
    let updated = entries.iter().map(|entry| entry.event.timestamp).max().unwrap_or(head.created_at);
    let mut feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\">\n\
         <id>urn:uuid:{}</id>\n<title>{}</title>\n<updated>{updated}</updated>\n<author><name>{}</name></author>\n",
        lang.tag(),
        escaped(head.id),
        escaped(head.title),
        escaped(head.author),
    );
    for FeedEntry { id, event } in entries {
        let at = event.timestamp;
        let mut changes = changes(event, lang);
        if changes.is_empty() {
            changes.push(unchanged(event, lang));
        }
        let lines: Vec<String> = alarm(event).into_iter().chain(changes).collect();
        feed.push_str(&format!(
            "<entry>\n<id>urn:uuid:{}</id>\n<title>{}</title>\n<updated>{at}</updated>\n<published>{at}</published>\n\
             <link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n<link rel=\"related\" href=\"{}\"/>\n\
             <category term=\"{}\"/>\n<content type=\"text\">{}</content>\n</entry>\n",
            escaped(id),
            escaped(&headline(event, lang)),
            escaped(&event.data.report),
            escaped(&event.data.tab.url),
            event.kind.word(),
            escaped(&lines.join("\n")),
        ));
    }
    feed.push_str("</feed>\n");
    feed
}

/// Text as XML: markup escaped, and what no document may hold (XML 1.0 §2.2) left out.
fn escaped(text: &str) -> String {
    let is_char =
        |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    xml_text(&text.chars().filter(is_char).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::headline::tests::{alert, hidden};
    use super::*;

    const HEAD: FeedHead<'static> =
        FeedHead { id: "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e10", title: "A & B", author: "x", created_at: Timestamp(0) };

    #[test]
    fn a_feed_escapes_what_pages_say() {
        let mut event = alert();
        event.data.tab.alias = Some("</title><script>\u{1}\u{ffff}".to_owned());
        let feed = atom(&HEAD, &[FeedEntry { id: "1".to_owned(), event }], Lang::En);
        assert!(feed.contains("<title>A &amp; B</title>"), "{feed}");
        assert!(feed.contains("<title>&lt;/title&gt;&lt;script&gt;"), "{feed}");
        assert!(!feed.contains(['\u{1}', '\u{ffff}']), "{feed}");
        assert!(feed.contains("<updated>2026-01-31T09:30:00.000Z</updated>\n<author>"), "{feed}");
    }

    #[test]
    fn an_entry_begins_with_what_keeps_the_page_out_of_search() {
        let feed = atom(&HEAD, &[FeedEntry { id: "1".to_owned(), event: hidden() }], Lang::En);
        let content = "<content type=\"text\">Search engines don&apos;t index files of this kind (&lt;b&gt;*).";
        assert!(feed.contains(content), "{feed}");
    }

    #[test]
    fn an_entry_of_a_run_that_changed_nothing_says_so() {
        let mut event = alert();
        event.data.run.score = Some(82);
        event.data.run.change.as_mut().unwrap().broke.clear();
        let feed = atom(&HEAD, &[FeedEntry { id: "1".to_owned(), event }], Lang::PtBr);
        assert!(feed.contains("<content type=\"text\">Nada mudou. Nota: 82.</content>"), "{feed}");
    }

    #[test]
    fn a_feed_without_entries_has_the_time_when_it_was_made() {
        let feed = atom(&HEAD, &[], Lang::PtBr);
        assert!(feed.contains("xml:lang=\"pt-BR\"") && feed.contains("<updated>1970-01-01T00:00:00.000Z</updated>"));
    }
}
