//! Addresses in links that were mistyped.

use url::Url;

use super::link_target::is_local;
use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "link-syntax", category: Category::Links, landing: LANDING, checks: &[INVALID] };

const LANDING: Landing = Landing {
    title: text("Malformed link checker", "Verificador de links malformados"),
    h1: text("Are there typos in the links of your page?", "Há erros de digitação nos links da sua página?"),
    description: text(
        "Find links with a mistyped scheme, spaces inside, a missing https:// or an address that no browser can read, and get them repaired.",
        "Encontre links com esquema errado, espaços no meio, sem https:// ou com endereço que nenhum navegador lê, e receba-os corrigidos.",
    ),
    lead: text(
        "`htp://`, `http//` and `www.example.com` without a scheme don't lead where they seem to: browsers take them for a path of the same site. This tool parses each link by the URL standard and repairs what has one reading only.",
        "`htp://`, `http//` e `www.exemplo.com` sem esquema não levam aonde parecem: o navegador os toma por um caminho do mesmo site. Esta ferramenta lê cada link pelo padrão URL e corrige o que só tem uma leitura.",
    ),
    example: include_str!("link_syntax/bad_scheme.html"),
};

const INVALID: Check = Check {
    code: "link_href_invalid",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Mistyped links", "Links digitados errado"),
    why: text(
        "The link leads nowhere, or to a path of this site that does not exist, for people and crawlers alike; at a space simple readers cut the address off.",
        "O link não leva a lugar nenhum, ou leva a um caminho deste site que não existe, tanto para pessoas como para robôs; num espaço, leitores simples cortam o endereço.",
    ),
    how: text(
        "Write the address in full, `https://` and host, with `%20` for each space.",
        "Escreva o endereço completo, com `https://` e host, e `%20` no lugar de cada espaço.",
    ),
    reference: "https://url.spec.whatwg.org/#url-writing",
    rule: text(
        "Fails when the `href` of an `a`, white space around it left aside, can't be parsed against the page's base by the URL Standard; holds white space within its path, unless its scheme is `mailto:`, `tel:`, `sms:`, `data:` or `javascript:`; has a mistyped scheme (`htp:`, `htpp:`, `hhtp:`, `htttp:`, the same with an s, `http//`, `https//`, `http:/` or `https:/` before a host); or begins with `www.` and a public domain but no scheme. Not applicable without links.",
        "Falha quando o `href` de um `a`, sem contar espaços em volta, não pode ser lido a partir da base da página pelo padrão URL; tem espaços no caminho, a não ser que o esquema seja `mailto:`, `tel:`, `sms:`, `data:` ou `javascript:`; tem um esquema digitado errado (`htp:`, `htpp:`, `hhtp:`, `htttp:`, os mesmos com s, `http//`, `https//`, `http:/` ou `https:/` antes de um host); ou começa com `www.` e um domínio público, mas sem esquema. Não se aplica sem links.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: invalid,
};

/// Mistyped schemes, and what was meant.
const TYPOS: [(&str, &str); 14] = [
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

/// What is wrong with an address, and what it reads when there is one reading only.
#[derive(Debug, PartialEq, Eq)]
struct SyntaxFault {
    repaired: Option<String>,
}

/// What is wrong with an `href`, if anything.
fn fault(href: &str, html: &Html) -> Option<SyntaxFault> {
    let trimmed = href.trim_matches(|c: char| c <= ' ');
    // Most addresses are told sound by their bytes alone.
    let lower = trimmed.get(..16).unwrap_or(trimmed).to_ascii_lowercase();
    if let Some((typo, meant)) = TYPOS.iter().find(|(typo, _)| lower.starts_with(typo)) {
        return Some(SyntaxFault { repaired: trimmed.get(typo.len()..).map(|rest| format!("{meant}{rest}")) });
    }
    // One slash: of the page's own scheme this is a path, and of another one it works by chance.
    if let Some((scheme, rest)) = ["http:/", "https:/"].iter().find_map(|start| {
        let rest = trimmed.get(start.len()..).filter(|rest| !rest.starts_with(['/', '\\']))?;
        lower.starts_with(start).then_some((*start, rest))
    }) {
        let is_host = rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('.'));
        return Some(SyntaxFault { repaired: is_host.then(|| format!("{scheme}/{rest}")) });
    }
    let host = trimmed.split(['/', '?', '#']).next().unwrap_or_default();
    if lower.starts_with("www.") && domains::has_known_suffix(host) {
        return Some(SyntaxFault { repaired: None });
    }
    if html.resolve(href).is_none() {
        return Some(SyntaxFault { repaired: None });
    }
    let other = ["mailto:", "tel:", "sms:", "data:", "javascript:", "whatsapp:", "viber:", "skype:"];
    // In a query every reader knows what a space stands for, and forms write them there.
    let address = trimmed.split(['#', '?']).next().unwrap_or_default();
    if address.contains(|c: char| c.is_ascii_whitespace()) && !other.iter().any(|scheme| lower.starts_with(scheme)) {
        // As the URL parser reads it: line breaks and tabs are dropped, spaces encoded.
        let joined: String = trimmed.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        let is_plain = !joined.contains(' ') || is_file_name(&joined);
        return Some(SyntaxFault { repaired: is_plain.then(|| joined.replace(' ', "%20")) });
    }
    None
}

/// Whether the blanks of an address are part of a file's name (`/menu of may.pdf`): single, between letters, digits or
/// brackets. Any other blank is a slip, and only its author knows what was meant.
fn is_file_name(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let is_file = (2..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_of_name =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '(' | ')' | '&' | '-' | ','));
    let blanks = path.match_indices(' ').all(|(at, _)| {
        let (before, behind) = (path.get(..at).unwrap_or_default(), path.get(at + 1..).unwrap_or_default());
        is_of_name(before.chars().next_back()) && is_of_name(behind.chars().next())
    });
    is_file && blanks
}

/// Whether a link is one of these: where it leads is a matter of chance.
pub(crate) fn is_mistyped(link: Element<'_>, html: &Html) -> bool {
    link.attribute("href").is_some_and(|href| fault(href, html).is_some())
}

/// Whether a repaired address may stand: it says what it is, and does not lead to where another check would object.
fn is_sound(repaired: &str, html: &Html) -> bool {
    let Ok(url) = Url::options().base_url(Some(&html.base)).parse(repaired) else { return false };
    let is_downgrade = html.url.scheme() == "https" && url.scheme() == "http" && url.host() == html.url.host();
    !is_downgrade && !is_local(&url, &html.url) && fault(repaired, html).is_none()
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.anchors.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<(Element<'_>, &str, SyntaxFault)> = html
        .anchors
        .iter()
        .filter_map(|anchor| {
            let link = html.element(anchor.node)?;
            let href = link.attribute("href")?;
            Some((link, href, fault(href, html)?))
        })
        .collect();
    let Some((first, href, _)) = found.first() else { return PASS };
    const MISTYPED: Text = text(
        "{count} {count|link has|links have} a mistyped address; the first is “{href}”.",
        "{count} {count|link tem|links têm} um endereço digitado errado; o primeiro é “{href}”.",
    );
    const READ: Text = text("the same addresses, as they were meant", "os mesmos endereços, como eram para ser");
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
    let values = [("count", found.len().into()), ("href", (*href).into())];
    problem(MISTYPED, &values, fix).on(found.iter().map(|(link, ..)| link)).fail()
}
