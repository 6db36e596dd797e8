//! Messages for Discord (execute webhook: `content`, `embeds`, `allowed_mentions`).

use model::lang::Lang;
use model::page_event::{EventKind, PageEvent};
use serde_json::{Value, json};

use super::headline::{alarm, changes, headline};

/// Characters of the title of an embed at most, by Discord's limits of embeds.
const TITLE_CHARS: usize = 256;
/// Colour of an alert, and of any other run.
const COLORS: [u32; 2] = [0x00d9_2d20, 0x0017_6b87];

/// The event as the body of a webhook of Discord.
pub fn discord(event: &PageEvent, lang: Lang) -> Value {
    let is_alert = event.kind == EventKind::WatchAlert;
    let (mark, [alert, other]) = (if is_alert { "⚠️ " } else { "" }, COLORS);
    let title = headline(event, lang);
    let content: Vec<String> =
        [title.clone()].into_iter().chain(alarm(event)).map(|sentence| escaped(&sentence)).collect();
    let lines: Vec<String> = changes(event, lang).iter().map(|line| format!("• {}", escaped(line))).collect();
    json!({
        "content": format!("{mark}{}", content.join("\n")),
        "embeds": [{
            "title": title.chars().take(TITLE_CHARS).collect::<String>(),
            "url": event.data.report,
            "description": lines.join("\n"),
            "color": if is_alert { alert } else { other },
            "timestamp": event.timestamp,
        }],
        // Nobody is notified, whatever a page calls itself.
        "allowed_mentions": {"parse": []},
    })
}

/// Text in which no character acts as markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\*_~`|<>[]()#@".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::headline::tests::{alert, hidden};
    use super::*;

    #[test]
    fn a_message_links_to_the_report_and_notifies_nobody() {
        let message = discord(&alert(), Lang::PtBr);
        let content = message["content"].as_str().unwrap();
        assert!(content.contains(r"\[a\]\(https://evil.example\) \*b\*: nota 82 → 64"), "{content}");
        assert_eq!(message["allowed_mentions"], json!({"parse": []}));
        let embed = &message["embeds"][0];
        assert_eq!(embed["url"], "https://audit.example.com/reports/019c1346?lang=en");
        assert_eq!(embed["description"], r"• Novo: The page has no \<title\> & no name.");
        assert_eq!(embed["timestamp"], "2026-01-31T09:30:00.000Z");
    }

    #[test]
    fn what_keeps_a_page_out_of_search_comes_before_what_changed() {
        let message = discord(&hidden(), Lang::En);
        let sentence = r"Search engines don't index files of this kind \(\<b\>\*\).";
        assert_eq!(message["content"].as_str().unwrap().lines().nth(1), Some(sentence), "{message}");
    }
}
