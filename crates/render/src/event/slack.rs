//! Messages for Slack (incoming webhooks: `text`, and blocks with mrkdwn text objects).

use model::lang::{Lang, Text, text};
use model::page_event::{EventKind, PageEvent};
use serde_json::{Value, json};

use super::headline::{alarm, changes, headline};

/// The event as the body of an incoming webhook of Slack.
pub fn slack(event: &PageEvent, lang: Lang) -> Value {
    const REPORT: Text = text("Open the report", "Abrir o relatório");
    let mark = if event.kind == EventKind::WatchAlert { ":warning: " } else { "" };
    let title = escaped(&headline(event, lang));
    let alarm = alarm(event).map(|sentence| escaped(&sentence));
    let mut lines = vec![format!("{mark}*{title}*")];
    lines.extend(alarm.clone());
    lines.extend(changes(event, lang).iter().map(|line| format!("• {}", escaped(line))));
    lines.push(format!("<{}|{}>", escaped(&event.data.report), REPORT.in_lang(lang)));
    let section = json!({"type": "section", "text": {"type": "mrkdwn", "text": lines.join("\n")}});
    let notice: Vec<String> = [format!("{mark}{title}")].into_iter().chain(alarm).collect();
    // `text` is what notifications show.
    json!({"text": notice.join("\n"), "blocks": [section], "unfurl_links": false})
}

/// The three characters that Slack's markup gives a meaning, as entities: no text of a page can mention or link.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::headline::tests::{alert, hidden};
    use super::*;

    #[test]
    fn a_message_mentions_and_links_nobody_but_the_report() {
        let message = slack(&alert(), Lang::En);
        let block = message["blocks"][0]["text"]["text"].as_str().unwrap();
        assert!(block.starts_with(":warning: *&lt;!channel&gt; @everyone"), "{block}");
        assert!(block.contains("• New: The page has no &lt;title&gt; &amp; no name."), "{block}");
        assert!(block.ends_with("<https://audit.example.com/reports/019c1346?lang=en|Open the report>"), "{block}");
        assert_eq!(block.matches('<').count(), 1, "{block}");
        assert!(!message["text"].as_str().unwrap().contains('<'), "{message}");
    }

    #[test]
    fn what_keeps_a_page_out_of_search_comes_before_what_changed() {
        let message = slack(&hidden(), Lang::En);
        let sentence = "Search engines don't index files of this kind (&lt;b&gt;*).";
        let line = |text: &serde_json::Value| text.as_str().unwrap().lines().nth(1).map(str::to_owned);
        assert_eq!(line(&message["text"]).as_deref(), Some(sentence), "{message}");
        assert_eq!(line(&message["blocks"][0]["text"]["text"]).as_deref(), Some(sentence), "{message}");
    }
}
