//! Probe 1: `llms.txt`, or the guide for language models that the page names.

use model::capture::WantKind;
use model::discovery::{DiscoveryCheck, DiscoveryStatus};
use model::lang::{Text, text};
use url::Url;

use super::answer::{Answer, File};
use super::notes::{Notes, ProbeOutcome, quoted, warn};
use super::site::{ProbedSite, Target};
use crate::facts::content_type::media_type;

/// Where the file of a whole site is.
pub(crate) const PATH: &str = "/llms.txt";
const REFERENCE: &str = "https://llmstxt.org/";
/// Characters that a useful file has (Lighthouse's `llms-txt` audit).
pub(crate) const SHORTEST: usize = 50;

/// Always asked: the most specific guide of this origin that the page describes itself by, else the file of the site.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    guide(site).map(Target::of).or_else(|| site.file(PATH))
}

/// The `rel=describedby` text whose folder is the longest one around the page; of several alike the first.
fn guide(site: &ProbedSite<'_>) -> Option<Url> {
    let elements = site.html.into_iter().flat_map(|html| html.links_rel("describedby").map(move |link| (html, link)));
    let elements = elements.filter_map(|(html, link)| {
        let kind = html.element(link.node).and_then(|element| element.attribute("type"));
        Some((link.url.as_ref()?, kind))
    });
    let headers = site.header_links.iter().filter(|link| link.is("describedby"));
    let headers = headers.filter_map(|link| Some((link.url.as_ref()?, link.parameter("type"))));
    let mut best: Option<(usize, &Url)> = None;
    let guides = elements.chain(headers).filter(|(url, kind)| site.is_own(url) && is_text(url, *kind));
    for (url, _) in guides {
        let folder = url.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        let around = site.url.path().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let specific = if around { folder.len() } else { 0 };
        if best.is_none_or(|(longest, _)| specific > longest) {
            best = Some((specific, url));
        }
    }
    best.map(|(_, url)| url.clone())
}

/// Whether a described-by resource is a text to read, and not a schema or a table description: by its declared type,
/// else by its name.
fn is_text(url: &Url, kind: Option<&str>) -> bool {
    match kind.map(media_type).as_deref() {
        Some("text/markdown" | "text/x-markdown" | "text/plain") => true,
        Some(kind) if !kind.is_empty() => false,
        _ => [".txt", ".md", ".markdown"].iter().any(|end| url.path().to_ascii_lowercase().ends_with(end)),
    }
}

/// Passes on Markdown with a heading first, a link, and something to read.
pub(super) fn check(site: &ProbedSite<'_>) -> DiscoveryCheck {
    let answer = answer(site);
    answer.check(judge(&answer))
}

fn answer<'c>(site: &ProbedSite<'c>) -> Answer<'c> {
    site.answer(WantKind::Llms, target(site).unwrap_or(Target::Elsewhere), REFERENCE)
}

/// What is known of the file at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootFile {
    /// Something is there.
    There,
    /// It answers this status, 404 or 410.
    Missing(u16),
    /// Not asked, restricted, failed or masked.
    Unknown,
}

/// Whether the site has a file at the root.
pub(crate) fn root_file(site: &ProbedSite<'_>) -> RootFile {
    let answer = answer(site);
    if answer.requested.as_ref().is_none_or(|requested| requested.path() != PATH) {
        return RootFile::Unknown;
    }
    match answer.absent_status() {
        Some(status @ (404 | 410)) => RootFile::Missing(status),
        _ if matches!(judge(&answer), Ok((DiscoveryStatus::Pass | DiscoveryStatus::Warn, _))) => RootFile::There,
        _ => RootFile::Unknown,
    }
}

fn judge(answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional and has no effect in Google Search. About one site in ten has one (SE Ranking, 2026), and 97% of them got no request in May 2026 (Ahrefs).",
        "{file} responde {status}. É opcional e não tem efeito na Busca do Google. Cerca de um site em dez tem um (SE Ranking, 2026), e 97% deles não receberam nenhuma requisição em maio de 2026 (Ahrefs).",
    );
    const HTML: Text = text(
        "{file} answers {status} with an HTML page instead of Markdown.",
        "{file} responde {status} com uma página HTML em vez de Markdown.",
    );
    const MEASURED: Text = text(
        "{file} has {bytes} {bytes|byte|bytes} of Markdown with {links} {links|link|links} and {sections} {sections|section|sections}; Google Search does not use it.",
        "{file} tem {bytes} {bytes|byte|bytes} de Markdown com {links} {links|link|links} e {sections} {sections|seção|seções}; a Busca do Google não o usa.",
    );
    let file = answer.file(ABSENT)?;
    if file.is_html() {
        file.unless_masked()?;
        return Ok(warn(HTML, &file.values()));
    }
    let source = file.text();
    let outline = Outline::read(&source, base(&file).as_ref());
    if !outline.has_heading || outline.links == 0 {
        file.unless_masked()?;
    }
    let [name, _] = file.values();
    let values = [
        name,
        ("bytes", file.bytes.len().into()),
        ("links", outline.links.into()),
        ("sections", outline.sections.into()),
    ];
    Ok(outline.notes(source.trim().chars().count()).verdict(MEASURED, &values))
}

fn base(file: &File<'_>) -> Option<Url> {
    Url::parse(&file.exchange.url).ok()
}

/// The site's file at the root as text, when it is one and not a page.
pub(crate) fn root_text(site: &ProbedSite<'_>) -> Option<String> {
    let answer = answer(site);
    let text = answer.file(text("", "")).ok().filter(|file| !file.is_html())?.text();
    answer.requested.is_some_and(|requested| requested.path() == PATH).then_some(text)
}

/// A file that passes, of what the site has written and, where that lacks something, of a draft: heading and summary
/// first, then the site's own lines but those with an address that can't be read, then the draft's links.
pub(crate) fn completed(source: &str, draft: &str, base: &Url) -> Option<String> {
    let is_whole = |line: &&str| {
        let mut outline = Outline::default();
        outline.take_links(line, Some(base));
        outline.malformed.is_none()
    };
    if source.trim().is_empty() {
        return is_useful(draft, base).then(|| draft.to_owned());
    }
    let own: Vec<&str> = source.lines().map(str::trim_end).filter(is_whole).collect();
    let outline = Outline::read(&own.join("\n"), Some(base));
    let is_item = |line: &&str| line.starts_with("- ");
    let head: Vec<&str> =
        if outline.has_heading { Vec::new() } else { draft.lines().take_while(|line| !is_item(line)).collect() };
    let is_short = own.join("\n").trim().chars().count() < SHORTEST;
    let wants_links = outline.links == 0 || is_short;
    let links: Vec<&str> = draft.lines().filter(|line| wants_links && is_item(line) && !own.contains(line)).collect();
    let gap = if links.is_empty() { "" } else { "\n\n" };
    let text = format!("{}\n{}{gap}{}", head.join("\n"), own.join("\n").trim(), links.join("\n"));
    let text = text.trim().to_owned() + "\n";
    is_useful(&text, base).then_some(text)
}

/// Whether a text is a file that this probe passes.
pub(crate) fn is_useful(source: &str, base: &Url) -> bool {
    let characters = source.trim().chars().count();
    Outline::read(source, Some(base)).notes(characters).verdict(text("", ""), &[]).0 == DiscoveryStatus::Pass
}

/// What Markdown of this shape holds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outline {
    has_heading: bool,
    has_quote: bool,
    has_optional: bool,
    sections: usize,
    links: usize,
    /// First link whose address can't be read, and how many there are.
    malformed: Option<(String, usize)>,
}

impl Outline {
    fn read(source: &str, base: Option<&Url>) -> Self {
        let mut out = Self::default();
        let mut lines = source.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        out.has_heading = lines.peek().and_then(|line| line.strip_prefix("# ")).is_some_and(|h1| !h1.trim().is_empty());
        for line in lines {
            out.has_quote |= line.starts_with('>');
            if let Some(section) = line.strip_prefix("## ") {
                out.sections += 1;
                out.has_optional |= section.trim().eq_ignore_ascii_case("optional");
            }
            out.take_links(line, base);
        }
        out
    }

    /// `[text](address "title")`, each on one line.
    fn take_links(&mut self, line: &str, base: Option<&Url>) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("](") {
            rest = after;
            let has_text = before.rsplit_once('[').is_some_and(|(_, text)| !text.trim().is_empty());
            if !has_text {
                continue;
            }
            let Some((inside, tail)) = after.split_once(')') else { break };
            rest = tail;
            self.links += 1;
            let address = inside.split_whitespace().next().unwrap_or_default();
            let address = address.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(address);
            let readable = !address.is_empty() && Url::options().base_url(base).parse(address).is_ok();
            if !readable {
                self.malformed.get_or_insert_with(|| (address.to_owned(), 0)).1 += 1;
            }
        }
    }

    fn notes(&self, characters: usize) -> Notes {
        const NO_HEADING: Text = text(
            "the first line is not a heading (\"# Name of the site\")",
            "a primeira linha não é um título (\"# Nome do site\")",
        );
        const NO_LINK: Text = text("there is no link ([text](address))", "não há link ([texto](endereço))");
        const MALFORMED: Text = text(
            "{count|a link address can't be parsed: \"{value}\"|{count} link addresses can't be parsed, for example \"{value}\"}",
            "{count|um endereço de link não pode ser lido: \"{value}\"|{count} endereços de links não podem ser lidos, por exemplo \"{value}\"}",
        );
        const SHORT: Text = text(
            "it has only {count} {count|character|characters} (the minimum is {least})",
            "tem só {count} {count|caractere|caracteres} (o mínimo é {least})",
        );
        const QUOTE: Text = text("it has a summary as a blockquote", "tem um resumo em citação");
        const OPTIONAL: Text = text("it has an Optional section", "tem uma seção Optional");
        let mut notes = Notes::default();
        if !self.has_heading {
            notes.wrong(NO_HEADING, &[]);
        }
        if self.links == 0 {
            notes.wrong(NO_LINK, &[]);
        }
        if let Some((first, count)) = &self.malformed {
            notes.wrong(MALFORMED, &[("count", (*count).into()), ("value", quoted(first))]);
        }
        if characters < SHORTEST {
            notes.wrong(SHORT, &[("count", characters.into()), ("least", SHORTEST.into())]);
        }
        if self.has_quote {
            notes.remark(QUOTE, &[]);
        }
        if self.has_optional {
            notes.remark(OPTIONAL, &[]);
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::{BodyCut, Extra, FailureKind};
    use model::discovery::DiscoveryStatus::{Info, Pass, Unverified, Warn};

    const GOOD: &str = "\u{feff}\n# Bread\n\n> All about bread.\n\n## Docs\n- [Rye](/rye): dark\n\n## Optional\n- [Wheat](<https://example.com/wheat> \"t\")\n";

    fn file(status: u16, body: &str) -> Extra {
        extra(WantKind::Llms, PATH, status, "text/plain", body)
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site("", &[], extras, check), status, words);
    }

    #[test]
    fn files_are_judged_by_heading_links_and_length() {
        check_of(vec![file(200, GOOD)], Pass, "2 links and 2 sections");
        check_of(vec![file(200, GOOD)], Pass, "Optional section");
        check_of(vec![file(200, &GOOD.replace("# Bread", "Bread"))], Warn, "not a heading");
        check_of(vec![file(200, "# Bread\n\nBread is made of flour, water, salt and of time.")], Warn, "no link");
        check_of(vec![file(200, &GOOD.replace("/rye", "https://exa mple"))], Pass, "2 links");
        check_of(vec![file(200, &GOOD.replace("/rye", "http://[x"))], Warn, "can't be parsed: \"http://[x\"");
        check_of(vec![file(200, &GOOD.replace("/rye", ""))], Warn, "a link address can't be parsed");
        check_of(vec![file(200, "# A\n[a](/b)")], Warn, "only 11 characters");
        check_of(vec![file(200, "")], Warn, "0 characters");
        check_of(vec![file(200, "<!doctype html><p>app")], Warn, "HTML page");
        check_of(vec![file(404, "")], Info, "no effect in Google Search");
        check_of(vec![file(410, "")], Info, "optional");
        check_of(vec![file(400, "")], Info, "usual status");
        check_of(vec![file(401, "")], Info, "restricted");
        check_of(vec![file(503, "")], Unverified, "503");
        check_of(vec![cut(file(200, GOOD), BodyCut::Size)], Unverified, "64 KB");
        check_of(vec![cut(file(200, GOOD), BodyCut::Time)], Unverified, "was cut off");
        check_of(vec![failed(WantKind::Llms, PATH, FailureKind::Unreachable)], Unverified, "can't be reached");
        check_of(Vec::new(), Unverified, "not requested");
    }

    #[test]
    fn a_page_for_every_address_masks_what_does_not_prove_itself() {
        check_of(vec![missing(200, "<p>app"), file(200, "<!doctype html><p>other")], Unverified, "missing addresses");
        check_of(vec![missing(200, "plain words"), file(200, "plain words")], Unverified, "missing addresses");
        check_of(vec![missing(200, "<p>app"), file(200, GOOD)], Pass, "2 links");
        check_of(vec![missing(200, "<p>app"), file(200, "plain words")], Warn, "not a heading");
    }

    #[test]
    fn the_most_specific_guide_of_the_origin_is_read_instead() {
        let asked = |source: &str, link: &str| {
            with_site(source, &[("link", link)], Vec::new(), |site| {
                target(site).unwrap().url().map(|url| url.path().to_owned()).unwrap()
            })
        };
        assert_eq!(asked("", ""), "/llms.txt");
        assert_eq!(asked("<link rel=describedby href=/a.md>", ""), "/a.md");
        assert_eq!(asked("<link rel=describedby href=/a.md>", "</docs/llms.txt>; rel=describedby"), "/docs/llms.txt");
        assert_eq!(
            asked("<link rel=describedby href=/other/llms.txt><link rel=describedby href=/b.md>", ""),
            "/other/llms.txt"
        );
        assert_eq!(asked("<link rel=describedby href=https://example.org/llms.txt>", ""), "/llms.txt");
        assert_eq!(asked("<link rel=describedby href=/schema type=application/json>", ""), "/llms.txt");
        assert_eq!(asked("<link rel=describedby href=/guide type='text/markdown; charset=utf-8'>", ""), "/guide");
    }

    #[test]
    fn only_404_and_410_at_the_root_are_missing() {
        let root = |source: &str, extras: Vec<Extra>| with_site(source, &[], extras, root_file);
        assert_eq!(root("", vec![file(404, "")]), RootFile::Missing(404));
        assert_eq!(root("", vec![file(200, GOOD)]), RootFile::There);
        assert_eq!(root("", vec![file(200, "x")]), RootFile::There);
        assert_eq!(root("", vec![missing(200, "<p>app"), file(200, "<p>app")]), RootFile::Unknown);
        assert_eq!(root("", vec![file(403, "")]), RootFile::Unknown);
        assert_eq!(root("", Vec::new()), RootFile::Unknown);
        let guide = extra(WantKind::Llms, "/docs/llms.txt", 404, "", "");
        assert_eq!(root("<link rel=describedby href=/docs/llms.txt>", vec![guide]), RootFile::Unknown);
    }
}
