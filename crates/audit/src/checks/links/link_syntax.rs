//! Addresses in links that were mistyped.

use url::Url;

use super::link_target::is_local;
use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::document::trimmed;
use crate::facts::names::{has_name, is_classic_script};
use crate::facts::page::Html;
use crate::facts::page_controls::{is_marked, names_control};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "link-syntax", category: Category::Links, landing: LANDING, checks: &[INVALID] };

const LANDING: Landing = Landing {
    title: text("Malformed link checker", "Verificador de links malformados"),
    h1: text("Are there typos in the links on your page?", "Há erros de digitação nos links da sua página?"),
    description: text(
        "Find links that are empty, misspell their scheme, contain spaces, lack https:// or have an unreadable URL, and get them corrected.",
        "Encontre links vazios, com esquema errado, espaços no meio, sem https:// ou com URL ilegível, e receba-os corrigidos.",
    ),
    lead: text(
        "`htp://`, `http//` and `www.example.com` without a scheme don't lead where they seem to: browsers read them as a path on the same site. This tool parses each link by the URL standard and corrects those with only one possible meaning.",
        "`htp://`, `http//` e `www.exemplo.com` sem esquema não levam aonde parecem: o navegador os lê como um caminho do mesmo site. Esta ferramenta lê cada link pelo padrão URL e corrige os que só têm um significado possível.",
    ),
    example: include_str!("link_syntax/bad_scheme.html"),
};

const INVALID: Check = Check {
    code: "link_href_invalid",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Invalid link URLs", "Links com URL inválida"),
    why: text(
        "The link leads nowhere, back to this page, or to a path on this site that doesn't exist. Browsers encode a space in a URL, but simpler programs cut the URL off there.",
        "O link não leva a lugar nenhum, volta a esta página ou leva a um caminho deste site que não existe. Navegadores codificam um espaço na URL, mas programas mais simples cortam a URL ali.",
    ),
    how: text(
        "Write the full URL with `https://` and host, and `%20` for each space.",
        "Escreva a URL completa, com `https://` e host, e `%20` no lugar de cada espaço.",
    ),
    reference: "https://url.spec.whatwg.org/#url-writing",
    rule: text(
        "Fails when the `href` of an `a`, without surrounding white space, is invalid. It is invalid when the URL Standard can't parse it against the page's base; when it is empty; when its scheme is mistyped (such as `htp:`, `htttps:`, `http//`, `http:://`, a doubled `http://`, or `http:/` before a host); when its path has a space next to a punctuation mark; when a comma or an encoded space joins a second http(s) URL to the first; or when it begins with `www.` and a public domain but has no scheme. A note when the page has only milder faults: an empty URL on a page with scripts, which may handle the click; white space within path, query or fragment, which browsers encode; or a bare number that neither the link's text nor the page's own URL repeats, on a page with fewer than 3 such links. White space is allowed in `mailto:`, `tel:`, `sms:`, `data:`, `javascript:` and messenger links. An empty link passes when a script uses it: with `role`, `onclick`, `data-*`, or a word of `control_words.tsv`. Not applicable without links.",
        "Falha quando o `href` de um `a`, sem os espaços em volta, é inválido. É inválido quando o padrão URL não consegue lê-lo a partir da base da página; quando está vazio; quando o esquema está incorreto (como `htp:`, `htttps:`, `http//`, `http:://`, um `http://` repetido ou `http:/` antes de um host); quando o caminho tem um espaço ao lado de um sinal de pontuação; quando uma vírgula ou um espaço codificado junta uma segunda URL http(s) à primeira; ou quando começa com `www.` e um domínio público, mas sem esquema. É uma observação quando a página só tem falhas mais leves: uma URL vazia em uma página com scripts, que podem tratar o clique; espaços no caminho, na query ou no fragmento, que os navegadores codificam; ou um número solto que nem o texto do link nem a URL da própria página repete, em uma página com menos de 3 links assim. Espaços são permitidos em links `mailto:`, `tel:`, `sms:`, `data:`, `javascript:` e de mensageiros. Um link vazio passa quando um script o usa: com `role`, `onclick`, `data-*` ou uma palavra de `control_words.tsv`. Não se aplica sem links.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: invalid,
};

/// Mistyped schemes, and what was meant.
const TYPOS: [(&str, &str); 16] = [
    ("%20http://", "http://"),
    ("%20https://", "https://"),
    ("htp://", "http://"),
    ("htpp://", "http://"),
    ("hhtp://", "http://"),
    ("htttp://", "http://"),
    ("http//", "http://"),
    ("http:://", "http://"),
    ("http://http://", "http://"),
    ("htps://", "https://"),
    ("htpps://", "https://"),
    ("hhtps://", "https://"),
    ("htttps://", "https://"),
    ("https//", "https://"),
    ("https:://", "https://"),
    ("https://https://", "https://"),
];

/// What is wrong with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultKind {
    /// It leads elsewhere than it seems to, or nowhere.
    Mistyped,
    /// It leads back to the page.
    Empty,
    /// White space, which browsers encode or drop.
    Blank,
    /// A number alone: a path beside the page, and most likely an id that was to be part of an address.
    Number,
}

/// What is wrong with an address, and what it reads when there is one reading only.
#[derive(Debug, PartialEq, Eq)]
struct SyntaxFault {
    kind: FaultKind,
    repaired: Option<String>,
}

/// A fault that breaks the link.
fn mistyped(repaired: Option<String>) -> Option<SyntaxFault> {
    Some(SyntaxFault { kind: FaultKind::Mistyped, repaired })
}

/// Whether an address begins as addresses do, and has neither white space nor another colon: nearly all are sound as such ones are.
fn is_plainly_sound(address: &str) -> bool {
    let rest = match address.as_bytes() {
        [b'/' | b'#' | b'?', ..] => Some(address),
        _ => address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")),
    };
    // Of all bytes, without an end before: so many are compared at once.
    let is_plain = |plain: bool, byte: u8| plain & (byte > b' ') & (byte != b':');
    rest.is_some_and(|rest| rest.bytes().fold(true, is_plain))
}

/// What is wrong with an `href`, if anything.
fn fault(href: &str, is_url: impl Fn() -> bool) -> Option<SyntaxFault> {
    let trimmed = href.trim_matches(|c: char| c <= ' ');
    if is_plainly_sound(trimmed) && is_url() {
        return None;
    }
    let start = trimmed.get(..16).unwrap_or(trimmed);
    let starts_with = |known: &str| start.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
    if let Some((typo, meant)) = TYPOS.iter().find(|(typo, _)| starts_with(typo)) {
        return mistyped(trimmed.get(typo.len()..).map(|rest| format!("{meant}{rest}")));
    }
    // One slash: of the page's own scheme this is a path, and of another one it works by chance.
    if let Some((scheme, rest)) = ["http:/", "https:/"].iter().find_map(|start| {
        let rest = trimmed.get(start.len()..).filter(|rest| !rest.starts_with(['/', '\\']))?;
        starts_with(start).then_some((*start, rest))
    }) {
        let is_host = rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('.'));
        return mistyped(is_host.then(|| format!("{scheme}/{rest}")));
    }
    let host = trimmed.split(['/', '?', '#']).next().unwrap_or_default();
    if starts_with("www.") && domains::has_known_suffix(host) {
        return mistyped(None);
    }
    if !is_url() || joins_two(trimmed) {
        return mistyped(None);
    }
    let other = ["mailto:", "tel:", "sms:", "data:", "javascript:", "whatsapp:", "viber:", "skype:"];
    if trimmed.contains(|c: char| c.is_ascii_whitespace()) && !other.iter().any(|scheme| starts_with(scheme)) {
        // As the URL parser reads it: line breaks and tabs are dropped, spaces encoded.
        let joined: String = trimmed.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        let path = joined.split(['?', '#']).next().unwrap_or_default();
        let behind = joined.get(path.len()..).unwrap_or_default();
        if !are_within_words(path) {
            return mistyped(None);
        }
        let is_plain = (!path.contains(' ') || is_file_name(path)) && are_within_words(behind);
        return Some(SyntaxFault { kind: FaultKind::Blank, repaired: is_plain.then(|| joined.replace(' ', "%20")) });
    }
    None
}

/// Whether the path of an address goes on with a second one, as where a list was taken for one address.
fn joins_two(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let colons = memchr::memchr_iter(b':', path.as_bytes());
    let schemes = colons.filter_map(|at| path.split_at_checked(at)).filter(|(_, rest)| rest.starts_with("://"));
    schemes.into_iter().any(|(before, _)| {
        let before = before.strip_suffix("https").or_else(|| before.strip_suffix("http"));
        before.is_some_and(|before| before.ends_with(',') || before.ends_with("%20"))
    })
}

/// Whether the blanks of a path are part of a file's name (`/menu of may.pdf`): single, between letters, digits or
/// brackets. Any other blank is a slip, and only its author knows what was meant.
fn is_file_name(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let is_file = (2..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_file && are_within_words(path)
}

/// Whether every space stands between two words: beside a sign it is more likely a slip, and encoding it would keep an
/// address that does not exist.
fn are_within_words(address: &str) -> bool {
    let is_word = |c: Option<char>| {
        c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '(' | ')' | ',' | '-' | '\'' | '%' | '+' | '&'))
    };
    address.match_indices(' ').all(|(at, space)| {
        let (before, after) =
            (address.get(..at).unwrap_or_default(), address.get(at + space.len()..).unwrap_or_default());
        is_word(before.chars().next_back()) && is_word(after.chars().next())
    })
}

/// Whether a link has an empty address that no script stands in for.
fn is_empty_link(link: Element<'_>) -> bool {
    let is_of_script = || {
        let mut names = link.attributes().map(|(name, _)| name);
        names.any(|name| {
            matches!(name, "onclick" | "role" | "routerlink" | "ng-click")
                || ["data-", "v-", "x-"].iter().any(|start| name.starts_with(start))
                || name.contains(['@', ':'])
        }) || is_marked(link)
            || names_control(&link.text())
    };
    // One with a name of its own marks a place.
    link.attribute("href").is_some_and(|href| href.trim().is_empty())
        && !link.has("name")
        && !is_of_script()
        && has_name(link)
}

/// Bare numbers from which on a page names its neighbours by them.
const ROW_OF_NUMBERS: usize = 3;

/// Links whose address is a number alone, where that is no list of numbered pages.
fn bare_numbers<'h>(html: &'h Html) -> Vec<Element<'h>> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let own = html.url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let links = html.anchors.iter().filter_map(|anchor| html.element(anchor.node));
    let found: Vec<Element<'_>> = links
        .filter(|link| link.attribute("href").is_some_and(|href| is_number(trimmed(href))))
        .take(ROW_OF_NUMBERS)
        .collect();
    let is_row = found.len() == ROW_OF_NUMBERS || is_number(own);
    let is_page = |link: &Element<'_>| link.attribute("href").is_some_and(|href| link.text() == href.trim());
    found.into_iter().filter(|link| !is_row && !is_page(link)).collect()
}

/// Whether a link leads elsewhere than it seems to: where is a matter of chance.
pub(crate) fn is_mistyped(link: Element<'_>, html: &Html) -> bool {
    link.attribute("href")
        .and_then(|href| fault(href, || html.resolve(href).is_some()))
        .is_some_and(|fault| fault.kind == FaultKind::Mistyped)
}

/// Whether a repaired address may stand: it says what it is, and does not lead to where another check would object.
fn is_sound(repaired: &str, html: &Html) -> bool {
    let Ok(url) = Url::options().base_url(Some(&html.base)).parse(repaired) else { return false };
    let is_downgrade = html.url.scheme() == "https" && url.scheme() == "http" && url.host() == html.url.host();
    !is_downgrade && !is_local(&url, &html.url) && fault(repaired, || html.resolve(repaired).is_some()).is_none()
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.anchors.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found = faults(html);
    let Some((first, href, first_fault)) = found.first() else { return PASS };
    const MISTYPED: Text = text(
        "{count|A link has a mistyped URL: “{href}”.|{count} links have mistyped URLs; the first is “{href}”.}",
        "{count|Um link tem a URL incorreta: “{href}”.|{count} links têm a URL incorreta; o primeiro é “{href}”.}",
    );
    const NONE: Text = text(
        "{count|A link has an empty URL: {tag}.|{count} links have an empty URL; the first is {tag}.}",
        "{count|Um link tem a URL vazia: {tag}.|{count} links têm a URL vazia; o primeiro é {tag}.}",
    );
    const BLANKS: Text = text(
        "{count|A link has white space in its URL: “{href}”.|{count} links have white space in their URLs; the first is “{href}”.}",
        "{count|Um link tem espaços na URL: “{href}”.|{count} links têm espaços na URL; o primeiro é “{href}”.}",
    );
    const NUMBERS: Text = text(
        "{count|A link has only a number as its URL: “{href}”.|{count} links have only a number as their URL; the first is “{href}”.}",
        "{count|Um link tem só um número como URL: “{href}”.|{count} links têm só um número como URL; o primeiro é “{href}”.}",
    );
    const SEVERAL_KINDS: Text = text(
        "{count} links have an invalid URL; the first is {tag}.",
        "{count} links têm uma URL inválida; o primeiro é {tag}.",
    );
    let has = |kind| found.iter().any(|(.., fault)| fault.kind == kind);
    // A script of the page may take over the click on an empty link.
    let runs_scripts = || html.elements(&html.scripts).any(is_classic_script);
    let is_broken = has(FaultKind::Mistyped) || has(FaultKind::Empty) && !runs_scripts();
    let message = match first_fault.kind {
        kind if found.iter().any(|(.., fault)| fault.kind != kind) => SEVERAL_KINDS,
        FaultKind::Mistyped => MISTYPED,
        FaultKind::Empty => NONE,
        FaultKind::Blank => BLANKS,
        FaultKind::Number => NUMBERS,
    };
    const READ: Text = text("the same URLs, corrected", "as mesmas URLs, corrigidas");
    let ready: Option<Vec<(Element<'_>, &str)>> = found
        .iter()
        .map(|(link, _, fault)| {
            let repaired = fault.repaired.as_deref().filter(|repaired| is_sound(repaired, html))?;
            link.start_tag().map(|_| (*link, repaired))
        })
        .collect();
    let fix = match ready {
        Some(ready) => {
            let tag = |(link, href): &(Element<'_>, &str)| link.start_tag_with("href", href);
            let snippet = ready.iter().take(MAX_PLACES).filter_map(tag).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Body, snippet).from(READ, &[]);
            ready.iter().fold(fix, |fix, (link, href)| fix.set(*link, "href", href))
        }
        None => {
            let tag = first.start_tag_with("href", "{{URL}}").unwrap_or_else(|| "<a href=\"{{URL}}\">".to_owned());
            FixDraft::template(FixTarget::Body, tag)
        }
    };
    let values = [("count", found.len().into()), ("href", (*href).into()), ("tag", first.quoted().into())];
    let found = problem(message, &values, fix).on(found.iter().map(|(link, ..)| link));
    found.minor_if(!is_broken).fail()
}

/// Links with a fault, those that break first, each kind in document order.
fn faults(html: &Html) -> Vec<(Element<'_>, &str, SyntaxFault)> {
    let none = |kind| SyntaxFault { kind, repaired: None };
    let of_address = html.anchors.iter().filter_map(|anchor| {
        let link = html.element(anchor.node)?;
        let href = link.attribute("href")?;
        let empty = || is_empty_link(link).then(|| none(FaultKind::Empty)).filter(|_| !html.listed.is_unseen(link));
        Some((link, href, fault(href, || anchor.url().is_some()).or_else(empty)?))
    });
    let numbers = bare_numbers(html)
        .into_iter()
        .filter_map(|link| Some((link, link.attribute("href")?, none(FaultKind::Number))));
    let mut found: Vec<_> = of_address.chain(numbers).collect();
    found.sort_by_key(|(.., fault)| matches!(fault.kind, FaultKind::Blank | FaultKind::Number));
    found
}
