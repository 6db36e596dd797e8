//! Previews of the audited page: its search result, its card in social networks, the tree of its structured data.

use std::fmt::Display;

use audit::facts::font_metrics::{description_px, title_px};
use audit::preview::declared_result;
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::summary::PageSummary;
use serde_json::Value;
use url::Url;

use render::shown;

/// Pixels from which a text is close to being cut, and from which it may be cut. Chosen: search engines publish no
/// widths, and public measurements disagree; these are the common values of November 2026.
struct TextWidths {
    name: Text,
    close: u32,
    cut: u32,
}

const TITLE_ROOM: [TextWidths; 2] = [
    TextWidths { name: text("Title on a desktop", "Título no computador"), close: 560, cut: 600 },
    // Two lines of 328 pixels.
    TextWidths { name: text("Title on a phone", "Título no celular"), close: 600, cut: 656 },
];
const DESCRIPTION_ROOM: [TextWidths; 2] = [
    TextWidths { name: text("Description on a desktop", "Descrição no computador"), close: 860, cut: 920 },
    TextWidths { name: text("Description on a phone", "Descrição no celular"), close: 620, cut: 680 },
];
/// Lines of the tree of structured data; the JSON has all.
const MOST_LINES: usize = 80;
/// Levels of the tree; what lies deeper is left out.
const DEEPEST: u8 = 5;
/// Characters of a value in the tree.
const LONGEST_VALUE: usize = 160;

/// Previews of the page in search results and social networks.
#[derive(Default)]
pub(super) struct Previews {
    pub(super) result: Option<ResultView>,
    pub(super) social: Option<SocialView>,
    /// The tree of the structured data.
    pub(super) data: Vec<TreeLine>,
    pub(super) data_blocks: u32,
}

/// A node of a tree, as its page writes it: after the nodes before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeLine {
    /// It is the first child of the node before.
    pub(super) is_child: bool,
    /// Lists that end before it.
    pub(super) ends: u8,
    pub(super) name: String,
    pub(super) value: String,
    /// The value names a type.
    pub(super) is_type: bool,
}

impl Previews {
    /// Lists that end after the last node of the tree, but for the tree itself.
    pub(super) fn last_ends(&self) -> u8 {
        self.data.iter().fold(0, |depth: u8, line| depth.saturating_sub(line.ends) + u8::from(line.is_child))
    }
}

/// A search result.
pub(super) struct ResultView {
    pub(super) host: String,
    /// The host and the path, as a result shows them.
    pub(super) trail: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) meters: Vec<Meter>,
}

/// How much room a text takes.
pub(super) struct Meter {
    pub(super) name: &'static str,
    pub(super) px: u32,
    pub(super) close: u32,
    pub(super) cut: u32,
    /// The width and the verdict, as a sentence.
    pub(super) sentence: String,
}

/// A card in a network.
pub(super) struct SocialView {
    pub(super) host: String,
    pub(super) title: String,
    pub(super) description: String,
    /// Address of its picture, as the page declares it. Shown as text, never loaded.
    pub(super) picture: Option<String>,
}

/// The previews of a report's page.
pub(super) fn previews(report: &Report, lang: Lang) -> Previews {
    let Some(summary) = &report.summary else { return Previews::default() };
    let is_page = summary.content_type.as_deref().is_none_or(|kind| kind.contains("html"));
    let mut nodes = Vec::new();
    for block in &report.json_ld {
        grow(&mut nodes, 1, "", block);
    }
    let data = nested(nodes);
    let (result, social) = if is_page { (result(summary, lang), social(summary)) } else { (None, None) };
    Previews { result, social, data, data_blocks: report.json_ld_stored }
}

fn result(summary: &PageSummary, lang: Lang) -> Option<ResultView> {
    let shown = declared_result(summary)?;
    let url = Url::parse(&summary.final_url).ok()?;
    let host = shown::host(url.host_str()?);
    let steps = url.path_segments().into_iter().flatten().filter(|step| !step.is_empty());
    let trail: Vec<&str> = std::iter::once(host.as_str()).chain(steps).collect();
    let title = summary.title.as_deref().unwrap_or_default();
    let description = summary.meta_description.as_deref().unwrap_or_default();
    let titles = TITLE_ROOM.map(|room| meter(&room, title, title_px(title), lang));
    let descriptions = DESCRIPTION_ROOM.map(|room| meter(&room, description, description_px(description), lang));
    Some(ResultView {
        trail: cut(&trail.join(" › ")),
        host,
        title: shown.title,
        description: shown.description,
        meters: titles.into_iter().chain(descriptions).flatten().collect(),
    })
}

/// How much room a text takes; nothing, where there is none.
fn meter(room: &TextWidths, measured: &str, px: u32, lang: Lang) -> Option<Meter> {
    const FITS: Text = text("{px} px, {n} characters: fits in {cut} px", "{px} px, {n} caracteres: cabe em {cut} px");
    const CLOSE: Text = text(
        "{px} px, {n} characters: close to the limit of {cut} px, may be cut",
        "{px} px, {n} caracteres: perto do limite de {cut} px, corte possível",
    );
    const CUT: Text = text(
        "{px} px, {n} characters: may be cut at about {cut} px",
        "{px} px, {n} caracteres: corte provável perto de {cut} px",
    );
    if measured.is_empty() {
        return None;
    }
    let sentence = match px {
        _ if px > room.cut => CUT,
        _ if px > room.close => CLOSE,
        _ => FITS,
    };
    let values = [("px", px.into()), ("n", measured.chars().count().into()), ("cut", room.cut.into())];
    let sentence = sentence.phrase(&values).in_lang(lang).to_owned();
    Some(Meter { name: room.name.in_lang(lang), px, close: room.close, cut: room.cut, sentence })
}

fn social(summary: &PageSummary) -> Option<SocialView> {
    let of_tag = |name: &str| {
        let og = summary.open_graph.get(&format!("og:{name}"));
        og.or_else(|| summary.twitter.get(&format!("twitter:{name}"))).filter(|text| !text.is_empty()).cloned()
    };
    let url = Url::parse(&summary.final_url).ok()?;
    Some(SocialView {
        host: shown::host(url.host_str()?),
        title: of_tag("title").or_else(|| summary.title.clone()).unwrap_or_default(),
        description: of_tag("description").or_else(|| summary.meta_description.clone()).unwrap_or_default(),
        picture: of_tag("image"),
    })
}

/// A node of a tree: level from 1, name, value, and whether that is a type.
type TreeNode = (u8, String, String, bool);

/// The nodes with the lists that begin and end before each. A child is one level below the node before it.
fn nested(nodes: Vec<TreeNode>) -> Vec<TreeLine> {
    let mut before = 1;
    let line = |(level, name, value, is_type): TreeNode| {
        let (is_child, ends) = (level > before, before.saturating_sub(level));
        before = level;
        TreeLine { is_child, ends, name, value, is_type }
    };
    nodes.into_iter().map(line).collect()
}

/// Adds a value and its members to the tree.
fn grow(lines: &mut Vec<TreeNode>, level: u8, name: &str, value: &Value) {
    if lines.len() >= MOST_LINES || level > DEEPEST {
        return;
    }
    let is_type = value.is_object();
    let mut line = |value: &dyn Display| lines.push((level, cut(name), cut(&value.to_string()), is_type));
    match value {
        Value::Object(fields) => {
            match fields.get("@type") {
                Some(Value::String(kind)) => line(kind),
                Some(kind) => line(kind),
                None => line(&""),
            }
            // The context says the same of every block.
            for (name, value) in fields.iter().filter(|(name, _)| !["@type", "@context"].contains(&name.as_str())) {
                grow(lines, level + 1, name, value);
            }
        }
        Value::Array(items) => {
            for item in items {
                grow(lines, level, name, item);
            }
        }
        Value::String(text) => line(text),
        other => line(other),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::example;
    use serde_json::json;

    fn of(source: &str) -> Previews {
        previews(&audit::report(&example::capture(source).unwrap()), Lang::En)
    }

    #[test]
    fn a_result_says_how_much_room_its_texts_take() {
        let short = of("<title>Rye bread</title>").result.unwrap();
        assert_eq!(short.trail, "example.com › page");
        let sentences: Vec<&str> = short.meters.iter().map(|meter| meter.sentence.as_str()).collect();
        assert_eq!(sentences, ["92 px, 9 characters: fits in 600 px", "92 px, 9 characters: fits in 656 px"]);
        let long = of(&format!("<title>{}</title>", "Rye bread ".repeat(7))).result.unwrap();
        assert!(long.meters[0].sentence.ends_with("may be cut at about 600 px"), "{}", long.meters[0].sentence);
        assert!(long.title.ends_with('…'));
    }

    #[test]
    fn a_card_takes_the_social_tags_before_the_others() {
        let tags = "<title>t</title><meta name=description content=d><meta property=og:title content=o>\
                    <meta name=twitter:image content=/x.png>";
        let card = of(tags).social.unwrap();
        assert_eq!((card.title.as_str(), card.description.as_str()), ("o", "d"));
        assert_eq!(card.picture.as_deref(), Some("/x.png"));
        let other = of("GET https://a.example/\n200\nContent-Type: application/pdf\n\n%PDF");
        assert!(other.social.is_none() && other.result.is_none());
    }

    #[test]
    fn a_tree_has_a_line_for_each_value_and_an_end() {
        let mut lines = Vec::new();
        grow(&mut lines, 1, "", &json!({"@type": "Recipe", "name": "Rye", "step": [{"@type": "HowToStep"}, 2]}));
        let wanted = [
            (1, "", "Recipe", true),
            (2, "name", "Rye", false),
            (2, "step", "HowToStep", true),
            (2, "step", "2", false),
        ];
        assert_eq!(lines, wanted.map(|(level, name, value, is)| (level, name.to_owned(), value.to_owned(), is)));
        grow(&mut lines, 1, "", &json!({"a": {"b": 1}}));
        let data = nested(lines.clone());
        let steps: Vec<_> = data.iter().map(|line| (line.is_child, line.ends)).collect();
        let whole = [(false, 0), (true, 0), (false, 0), (false, 0), (false, 1), (true, 0), (true, 0)];
        assert_eq!(steps, whole);
        assert_eq!(Previews { data, ..Previews::default() }.last_ends(), 2);
        let mut deep = json!("x".repeat(1_000));
        for _ in 0..100 {
            deep = json!({ "a": [deep.clone(), deep] });
            if deep.to_string().len() > 1_000_000 {
                break;
            }
        }
        lines.clear();
        grow(&mut lines, 1, "", &deep);
        assert!(lines.len() <= MOST_LINES && lines.iter().all(|(level, ..)| *level <= DEEPEST));
    }
}
