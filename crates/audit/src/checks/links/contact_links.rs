//! Links that call or write to somebody.

use crate::check::prelude::*;
use crate::facts::page::Html;
use crate::facts::url_identity::percent_decoded;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "contact-links", category: Category::Links, landing: LANDING, checks: &[INVALID] };

const LANDING: Landing = Landing {
    title: text("tel: and mailto: link checker", "Verificador de links tel: e mailto:"),
    h1: text("Do your phone and email links work?", "Seus links de telefone e e-mail funcionam?"),
    description: text(
        "Find tel: links without a valid number and mailto: links without a valid address. They do nothing when somebody wants to reach you.",
        "Encontre links tel: sem número válido e links mailto: sem endereço válido. Eles não fazem nada quando alguém quer falar com você.",
    ),
    lead: text(
        "A tap on a phone number should start a call. A letter in the number or a slash after `mailto:` breaks the link. This tool reads these links as phones and mail programs do.",
        "Um toque no número deveria iniciar a ligação. Uma letra no número ou uma barra depois de `mailto:` quebra o link. Esta ferramenta lê esses links como telefones e programas de e-mail.",
    ),
    example: include_str!("contact_links/bad_mailto.html"),
};

const INVALID: Check = Check {
    code: "tel_mailto_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Broken phone or email links", "Links de telefone ou e-mail quebrados"),
    why: text(
        "Visitors who tap the link get an error or an empty message, and can't reach you.",
        "Quem toca no link recebe um erro ou uma mensagem vazia e não consegue falar com você.",
    ),
    how: text(
        "Write phone links with the full number, as in `tel:+551133334444`, and email links with only the address, as in `mailto:name@example.com`.",
        "Escreva links de telefone com o número completo, como `tel:+551133334444`, e links de e-mail só com o endereço, como `mailto:nome@exemplo.com`.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6068#section-2",
    rule: text(
        "Fails when a `tel:` link has no digit, or has a character that phones don't dial before its parameters (RFC 3966). Allowed are digits, `+`, `*`, `#`, the pauses `p`, `w` and `,`, separators, and white space, which phones skip. Also fails when a `mailto:` address, percent-decoded, doesn't have exactly one `@` with text on both sides, begins with `//`, or contains white space, `<`, `>`, or a slash in its host (RFC 6068). A `mailto:` with a query but no address passes, and so do links with `{`, which a template or script fills in. Not applicable without such links.",
        "Falha quando um link `tel:` não tem dígito ou tem, antes dos parâmetros, um caractere que telefones não discam (RFC 3966). São permitidos dígitos, `+`, `*`, `#`, as pausas `p`, `w` e `,`, separadores e espaços, que os telefones ignoram. Falha também quando um endereço `mailto:`, com os percentuais decodificados, não tem exatamente um `@` com texto dos dois lados, começa com `//`, ou contém espaço, `<`, `>` ou uma barra no host (RFC 6068). Um `mailto:` com query e sem endereço passa, assim como links com `{`, que um template ou script preenche. Não se aplica sem esses links.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: WHOLE,
    run: invalid,
};

/// Whether a phone can dial what follows `tel:`.
fn can_be_dialled(number: &str) -> bool {
    let number = number.split(';').next().unwrap_or_default();
    let decoded = percent_decoded(number);
    let is_dialled = |c: char| {
        c.is_ascii_digit()
            || c.is_whitespace()
            || matches!(c, '+' | '*' | '#' | ',' | 'p' | 'w' | '-' | '.' | '(' | ')' | '/' | '–' | '‑')
    };
    // Marks of direction and other characters that nobody sees come along when numbers are copied.
    let is_invisible =
        |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}');
    decoded.chars().any(|c| c.is_ascii_digit()) && decoded.chars().all(|c| is_dialled(c) || is_invisible(c))
}

/// Whether the addresses after `mailto:` are valid; none at all leaves the choice to the sender.
fn can_be_written_to(rest: &str) -> bool {
    let (addresses, query) = rest.split_once('?').map_or((rest, None), |(to, query)| (to, Some(query)));
    if addresses.is_empty() {
        return query.is_some_and(|query| !query.is_empty());
    }
    let mut all = addresses.split([',', ';']).filter(|one| !one.trim().is_empty()).peekable();
    let is_address = |one: &str| {
        let decoded = percent_decoded(one.trim());
        let Some((name, host)) = decoded.split_once('@') else { return false };
        let is_odd = |c: char| c.is_whitespace() || matches!(c, '@' | '<' | '>');
        let is_name = !name.is_empty() && !name.starts_with("//") && !name.contains(is_odd);
        is_name && !host.is_empty() && !host.contains(is_odd) && !host.contains('/')
    };
    all.peek().is_some() && all.all(is_address)
}

/// Links to call or write, with what follows their scheme, and whether it works.
fn contacts(html: &Html) -> impl Iterator<Item = (Element<'_>, &str, bool)> {
    html.elements(&html.hyperlinks).filter_map(|link| {
        let href = link.attribute("href")?.trim();
        let (scheme, rest) = href.split_once(':')?;
        if scheme.eq_ignore_ascii_case("tel") {
            Some((link, href, rest.contains('{') || can_be_dialled(rest)))
        } else if scheme.eq_ignore_ascii_case("mailto") {
            Some((link, href, rest.contains('{') || can_be_written_to(rest)))
        } else {
            None
        }
    })
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if contacts(html).next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<(Element<'_>, &str)> =
        contacts(html).filter(|(.., works)| !works).map(|(link, href, _)| (link, href)).collect();
    let Some((link, href)) = found.first() else { return PASS };
    const BROKEN: Text = text(
        "{count|A phone or email link doesn't work: “{href}”.|{count} phone or email links don't work; the first is “{href}”.}",
        "{count|Um link de telefone ou e-mail não funciona: “{href}”.|{count} links de telefone ou e-mail não funcionam; o primeiro é “{href}”.}",
    );
    let is_phone = href.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("tel:"));
    let meant = if is_phone { "tel:{{NUMBER}}" } else { "mailto:{{ADDRESS}}" };
    let tag = link.start_tag_with("href", meant).unwrap_or_else(|| format!("<a href=\"{meant}\">"));
    let values = [("count", found.len().into()), ("href", (*href).into())];
    let fix = FixDraft::template(FixTarget::Body, tag);
    problem(BROKEN, &values, fix).on(found.iter().map(|(link, _)| link)).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_addresses_are_read_as_phones_and_mailers_do() {
        for number in ["+55 11 3333-4444", "+1(800)555.1234;ext=5", "0800%20123", "*100#", "\u{202a}+4930\u{202c}"] {
            assert!(can_be_dialled(number), "{number}");
        }
        for number in ["", "//", "call-us", "+", "name@example.com"] {
            assert!(!can_be_dialled(number), "{number}");
        }
        for to in ["a@b.c", "a@b.c,d@e.f?subject=x", "?subject=x", "a%40b.c", " a@b.c", "a@b.c;", "/dev/null@b.c"] {
            assert!(can_be_written_to(to), "{to}");
        }
        for to in ["", "?", "//a@b.c", "a", "a@", "@b", "a b@c", "a@b@c", "https://example.com/"] {
            assert!(!can_be_written_to(to), "{to}");
        }
    }
}
