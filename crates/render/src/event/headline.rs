//! The headline of an event, and the findings that it names.

use model::change::Changed;
use model::lang::{Lang, Text, text};
use model::page_event::{EventKind, PageEvent};

use crate::shown::{printable, undirected};

/// Findings that a message names; the rest is a count.
const NAMED: usize = 5;
/// Characters of a name or a finding at most, so that a message stays within the limits of chats.
const LONGEST: usize = 300;

/// The event in one sentence: the page, and its score.
pub fn headline(event: &PageEvent, lang: Lang) -> String {
    const TEST: Text = text("Test: {name}, score {to}", "Teste: {name}, nota {to}");
    const UNREACHED: Text = text("{name}: can't be reached", "{name}: fora do ar");
    const CHANGED: Text = text("{name}: score {from} → {to}", "{name}: nota {from} → {to}");
    const SCORED: Text = text("{name}: score {to}", "{name}: nota {to}");
    let (tab, run) = (&event.data.tab, &event.data.run);
    let name = ("name", shortened(tab.name()).into());
    let Some(to) = run.score else { return UNREACHED.phrase(&[name]).in_lang(lang).to_owned() };
    let to_value = ("to", to.into());
    let from = run.change.as_ref().and_then(|change| change.from).filter(|from| *from != to);
    let phrase = match from {
        _ if event.kind == EventKind::WebhookTest => TEST.phrase(&[name, to_value]),
        Some(from) => CHANGED.phrase(&[name, ("from", from.into()), to_value]),
        None => SCORED.phrase(&[name, to_value]),
    };
    phrase.in_lang(lang).to_owned()
}

/// What keeps the page out of search engines, said before everything that changed; `None` of a page that they can show.
pub fn alarm(event: &PageEvent) -> Option<String> {
    event.data.searchable.as_ref()?.alarm().map(shortened)
}

/// What changed since the run before, a line for each finding; empty where nothing did.
pub fn changes(event: &PageEvent, lang: Lang) -> Vec<String> {
    const NEW: Text = text("New: {message}", "Novo: {message}");
    const FIXED: Text = text("Fixed: {message}", "Corrigido: {message}");
    const REVEALED: Text = text("Revealed: {message}", "Revelado: {message}");
    const MORE: Text = text("{count} more {count|change|changes}", "Mais {count} {count|mudança|mudanças}");
    let Some(change) = &event.data.run.change else { return Vec::new() };
    let line = |of: Text| {
        move |changed: &Changed| of.phrase(&[("message", shortened(&changed.message).into())]).in_lang(lang).to_owned()
    };
    let all = change.broke.len() + change.fixed.len() + change.revealed.len();
    let named = change.broke.iter().map(line(NEW)).chain(change.fixed.iter().map(line(FIXED)));
    let named = named.chain(change.revealed.iter().map(line(REVEALED)));
    let mut lines: Vec<String> = named.take(NAMED).collect();
    if all > lines.len() {
        lines.push(MORE.phrase(&[("count", (all - lines.len()).into())]).in_lang(lang).to_owned());
    }
    lines
}

/// That no finding is new or gone, with the score: what is said of a run without [`changes`].
pub(super) fn unchanged(event: &PageEvent, lang: Lang) -> String {
    const UNREACHED: Text = text("The page can't be reached.", "Não foi possível acessar a página.");
    const ALONE: Text = text(
        "Score: {to}. There is no earlier run to compare with.",
        "Nota: {to}. Não há auditoria anterior para comparar.",
    );
    const NOTHING: Text = text("Nothing changed. Score: {to}.", "Nada mudou. Nota: {to}.");
    const SCORE: Text = text(
        "No finding is new or fixed. Score: {from} → {to}.",
        "Nenhum achado é novo ou foi corrigido. Nota: {from} → {to}.",
    );
    let run = &event.data.run;
    let Some(to) = run.score else { return UNREACHED.in_lang(lang).to_owned() };
    let from = run.change.as_ref().map(|change| change.from.unwrap_or(to));
    let sentence = match from {
        None => ALONE,
        Some(from) if from == to => NOTHING,
        Some(_) => SCORE,
    };
    sentence.phrase(&[("from", from.unwrap_or(to).into()), ("to", to.into())]).in_lang(lang).to_owned()
}

/// A text of a page or its owner on one line, without characters that act on a reader, at most [`LONGEST`] characters.
fn shortened(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = undirected(&printable(&line.join(" ")));
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use model::change::Change;
    use model::finding::{Counts, Severity};
    use model::page_event::{EventTab, PageEventData};
    use model::searchable::{SearchState, Searchable};
    use model::tab::Run;
    use model::time::Timestamp;

    /// An alert whose page has a hostile name.
    pub(crate) fn alert() -> PageEvent {
        let changed = |code: &str, message: &str| Changed {
            code: code.to_owned(),
            severity: Severity::Error,
            message: message.to_owned(),
        };
        let broke = vec![changed("title_missing", "The page has no <title> & no name.")];
        let change = Change { score: Some(-18), from: Some(82), to: Some(64), broke, fixed: vec![], revealed: vec![] };
        PageEvent {
            kind: EventKind::WatchAlert,
            timestamp: Timestamp(1_769_851_800_000),
            data: PageEventData {
                tab: EventTab {
                    id: "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e11".to_owned(),
                    url: "https://example.com/".to_owned(),
                    alias: Some("<!channel> @everyone [a](https://evil.example) *b*".to_owned()),
                },
                searchable: None,
                run: Run {
                    audit_id: "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e12".to_owned(),
                    score: Some(64),
                    counts: Counts::default(),
                    created_at: Timestamp(1_769_851_800_000),
                    change: Some(change),
                    alerted: true,
                    shared: None,
                    api: "https://audit.example.com/api/audits/019c1346".to_owned(),
                },
                report: "https://audit.example.com/reports/019c1346?lang=en".to_owned(),
                truncated: false,
            },
        }
    }

    /// The same, of a page that no search engine can show, with markup in the sentence.
    pub(crate) fn hidden() -> PageEvent {
        let mut event = alert();
        let text = "Search engines don't index files of this kind (<b>*).".to_owned();
        event.data.searchable =
            Some(Searchable { state: SearchState::No, reasons: vec!["page_not_html".to_owned()], text });
        event
    }

    #[test]
    fn an_alarm_is_of_pages_that_no_search_engine_can_show() {
        let mut event = hidden();
        assert_eq!(alarm(&event).as_deref(), Some("Search engines don't index files of this kind (<b>*)."));
        for state in [SearchState::Yes, SearchState::Unknown] {
            event.data.searchable.as_mut().unwrap().state = state;
            assert_eq!(alarm(&event), None, "{state:?}");
        }
        event.data.searchable = None;
        assert_eq!(alarm(&event), None);
    }

    #[test]
    fn a_headline_says_what_became_of_the_score() {
        let mut event = alert();
        event.data.tab.alias = Some("Home\n page".to_owned());
        let check = |event: &PageEvent, en: &str, pt: &str| {
            assert_eq!((headline(event, Lang::En).as_str(), headline(event, Lang::PtBr).as_str()), (en, pt));
        };
        check(&event, "Home page: score 82 → 64", "Home page: nota 82 → 64");
        event.data.tab.alias = None;
        event.data.run.score = Some(82);
        check(&event, "https://example.com/: score 82", "https://example.com/: nota 82");
        event.data.run.score = None;
        check(&event, "https://example.com/: can't be reached", "https://example.com/: fora do ar");
        event.data.tab.alias = Some("a".repeat(400));
        assert_eq!(headline(&event, Lang::En).chars().filter(|c| *c == 'a').count(), 299 + 2, "{event:?}");
    }

    #[test]
    fn changes_beyond_the_first_five_are_a_count() {
        let mut event = alert();
        assert_eq!(changes(&event, Lang::En), ["New: The page has no <title> & no name."]);
        let change = event.data.run.change.as_mut().unwrap();
        change.fixed = vec![change.broke[0].clone(); 6];
        let lines = changes(&event, Lang::PtBr);
        assert_eq!((lines.len(), lines[5].as_str()), (6, "Mais 2 mudanças"));
        assert!(lines[4].starts_with("Corrigido: "), "{lines:?}");
        event.data.run.change = None;
        assert!(changes(&event, Lang::En).is_empty());
    }

    #[test]
    fn what_was_revealed_is_a_change() {
        let mut event = alert();
        let change = event.data.run.change.as_mut().unwrap();
        (change.revealed, change.broke) = (change.broke.clone(), Vec::new());
        assert_eq!(changes(&event, Lang::En), ["Revealed: The page has no <title> & no name."]);
    }

    #[test]
    fn a_run_without_changes_says_so_with_its_score() {
        let mut event = alert();
        let check = |event: &PageEvent, en: &str, pt: &str| {
            assert_eq!((unchanged(event, Lang::En).as_str(), unchanged(event, Lang::PtBr).as_str()), (en, pt));
        };
        check(
            &event,
            "No finding is new or fixed. Score: 82 → 64.",
            "Nenhum achado é novo ou foi corrigido. Nota: 82 → 64.",
        );
        event.data.run.score = Some(82);
        check(&event, "Nothing changed. Score: 82.", "Nada mudou. Nota: 82.");
        event.data.run.change = None;
        check(
            &event,
            "Score: 82. There is no earlier run to compare with.",
            "Nota: 82. Não há auditoria anterior para comparar.",
        );
        event.data.run.score = None;
        check(&event, "The page can't be reached.", "Não foi possível acessar a página.");
    }
}
