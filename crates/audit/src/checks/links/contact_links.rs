//! Links that call or write to somebody.

use crate::check::prelude::*;
use crate::facts::page::Html;
use crate::facts::url_identity::percent_decoded;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "contact-links", category: Category::Links, landing: LANDING, checks: &[INVALID] };

const LANDING: Landing = Landing {
    title: text("tel: and mailto: link checker", "Verificador de links tel: e mailto:"),
    h1: text("Do your phone and e-mail links work?", "Seus links de telefone e e-mail funcionam?"),
    description: text(
        "Find tel: links without a number and mailto: links without an address, which do nothing when somebody wants to reach you.",
        "Encontre links tel: sem número e mailto: sem endereço, que não fazem nada quando alguém quer falar com você.",
    ),
    lead: text(
        "A tap on a number should call it. A letter in the number or a slash after `mailto:` makes a link that opens nothing; this tool reads these links by their standards.",
        "Um toque no número deveria ligar. Uma letra no número ou uma barra depois de `mailto:` faz um link que não abre nada; esta ferramenta lê esses links pelos seus padrões.",
    ),
    example: include_str!("contact_links/bad_mailto.html"),
};

const INVALID: Check = Check {
    code: "tel_mailto_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Phone or e-mail link that can't work", "Link de telefone ou e-mail que não funciona"),
    why: text(
        "Who taps the link gets an error or an empty message and can't reach you.",
        "Quem toca no link recebe um erro ou uma mensagem vazia e não consegue falar com você.",
    ),
    how: text(
        "Write `tel:` with the whole number, `tel:+551133334444`, and `mailto:` with the bare address, `mailto:name@example.com`.",
        "Escreva `tel:` com o número completo, `tel:+551133334444`, e `mailto:` só com o endereço, `mailto:nome@exemplo.com`.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6068#section-2",
    rule: text(
        "Fails when a `tel:` link holds no digit, or before its parameters a character other than digits, `+`, `*`, `#`, the pauses `p`, `w` and `,`, signs that part digits, and white space, which every phone passes over (RFC 3966); or when an address of a `mailto:` link, percent-decoded, has no single `@` with something on both sides, begins with `//`, or holds white space, `<` or a slash in its host (RFC 6068). A `mailto:` without addresses but with a query, and links whose value a template or script fills in (`{`), pass. Not applicable without such links.",
        "Falha quando um link `tel:` não tem dígito, ou antes dos parâmetros tem um caractere que não seja dígito, `+`, `*`, `#`, as pausas `p`, `w` e `,`, sinais que separam dígitos e espaços, que todo telefone ignora (RFC 3966); ou quando um endereço de um link `mailto:`, com os percentuais decodificados, não tem um único `@` com algo dos dois lados, começa com `//`, ou contém espaço, `<` ou uma barra no host (RFC 6068). Um `mailto:` sem endereços mas com query, e links cujo valor um modelo ou script preenche (`{`), passam. Não se aplica sem links assim.",
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
    html.elements(&html.addressed).filter(|element| element.is("a")).filter_map(|link| {
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
        "{count} {count|link calls or writes|links call or write} to nobody; the first is “{href}”.",
        "{count} {count|link não liga nem escreve|links não ligam nem escrevem} para ninguém; o primeiro é “{href}”.",
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
