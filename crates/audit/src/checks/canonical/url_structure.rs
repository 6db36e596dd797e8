//! The form of the page's address.

use std::collections::BTreeMap;

use url::Url;

use super::canonical::{own, place, rewritten, tag};
use crate::check::prelude::*;
use crate::facts::canonical::{is_language, mended};
use crate::facts::page::Html;
use crate::facts::url_identity::{session_parameter, without_tracking};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "url-structure",
    category: Category::Canonical,
    landing: Landing {
        title: text("SEO URL structure checker", "Verificador de estrutura de URL"),
        h1: text("Is the URL of my page good for search?", "A URL da minha página é boa para a busca?"),
        description: text(
            "Check the URL of a page: session IDs, too many parameters, excessive length, spaces, underscores, capitals and double slashes.",
            "Verifique a URL da página: IDs de sessão, parâmetros demais, tamanho excessivo, espaços, sublinhados, maiúsculas e barras duplas.",
        ),
        lead: text(
            "Simple URLs are crawled once and shared in full. Session IDs and many parameters create endless copies of one page. This tool checks the final URL of your page.",
            "URLs simples são rastreadas uma vez e compartilhadas inteiras. IDs de sessão e muitos parâmetros criam cópias sem fim de uma página. Esta ferramenta verifica a URL final da sua página.",
        ),
        example: include_str!("url_structure/bad_session.http"),
    },
    checks: &[SESSION, PARAMETERS, TOO_LONG, NOT_CLEAN],
};

const GOOGLE: &str = "https://developers.google.com/search/docs/crawling-indexing/url-structure";

const SESSION: Check = Check {
    code: "url_session_id",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Session ID in the URL", "ID de sessão na URL"),
    why: text(
        "Every visit creates another URL for the same page, and crawlers waste time on copies. Anyone who shares the link may share the session too.",
        "Cada visita cria outra URL para a mesma página, e os robôs perdem tempo com cópias. Quem compartilha o link pode compartilhar também a sessão.",
    ),
    how: text(
        "Keep sessions in cookies, and point the canonical to the URL without the session ID.",
        "Guarde sessões em cookies e aponte a canônica para a URL sem o ID de sessão.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the path or query of the final URL has a known session parameter and no canonical of the page is free of it. Ambiguous names such as `sid` count only with a value that looks like a token: at least 16 characters, including digits.",
        "Falha quando o caminho ou a query da URL final tem um parâmetro de sessão conhecido e a página não tem uma canônica sem ele. Nomes ambíguos como `sid` só contam com um valor que parece um token: pelo menos 16 caracteres, com dígitos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: session,
};

const PARAMETERS: Check = Check {
    code: "url_parameters_many",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Many parameters in the URL", "Muitos parâmetros na URL"),
    why: text(
        "Parameters in any order and combination create many URLs for few pages, and crawlers try them all.",
        "Parâmetros em qualquer ordem e combinação criam muitas URLs para poucas páginas, e os robôs tentam todas.",
    ),
    how: text(
        "Remove parameters that don't change the content, and use the shortest URL as the canonical.",
        "Remova os parâmetros que não mudam o conteúdo e use a URL mais curta como canônica.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the query of the final URL has at least 5 parameters, not counting tracking and session parameters, and the page has no canonical with fewer.",
        "Falha quando a query da URL final tem pelo menos 5 parâmetros, sem contar os de rastreamento e sessão, e a página não tem uma canônica com menos.",
    ),
    thresholds: &[threshold("fewest_parameters", MANY_PARAMETERS as u64, "parameters")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: parameters,
};

const TOO_LONG: Check = Check {
    code: "url_too_long",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("URL too long for a sitemap", "URL longa demais para um sitemap"),
    why: text(
        "A sitemap may not list the URL, and mail programs and messengers cut off such links.",
        "Um sitemap não pode listar a URL, e programas de e-mail e mensageiros cortam links assim.",
    ),
    how: text("Move state such as filters out of the URL.", "Tire da URL estados como filtros."),
    reference: "https://www.sitemaps.org/protocol.html#locdef",
    rule: text(
        "Fails when the final URL, without its fragment, has 2,048 characters or more.",
        "Falha quando a URL final, sem o fragmento, tem 2.048 caracteres ou mais.",
    ),
    thresholds: &[threshold("fewest_characters", LONG as u64, "characters")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: too_long,
};

const NOT_CLEAN: Check = Check {
    code: "url_not_clean",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("URL that is hard to read and type", "URL difícil de ler e digitar"),
    why: text(
        "Search engines treat every spelling as another page, and words joined by underscores as one word.",
        "Os buscadores tratam cada grafia como outra página, e palavras unidas por sublinhado como uma só.",
    ),
    how: text(
        "Use lower-case words joined by hyphens for new pages. If you change an existing URL, redirect the old one.",
        "Use palavras minúsculas unidas por hífens em páginas novas. Se mudar uma URL existente, redirecione a antiga.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the path of the final URL has an encoded space, `//`, an underscore between two letters, a capital letter in a segment without digits, or the same segment three or more times. Segments with digits are ignored, since they may be case-sensitive identifiers. Language codes such as `en-US`, pages of MediaWiki, whose titles are their addresses, and pages that may not be indexed are ignored too.",
        "Falha quando o caminho da URL final tem um espaço codificado, `//`, um sublinhado entre duas letras, uma maiúscula em um segmento sem dígitos, ou o mesmo segmento três ou mais vezes. Segmentos com dígitos são ignorados, pois podem ser identificadores que distinguem maiúsculas. Códigos de idioma como `en-US`, páginas do MediaWiki, cujos títulos são os endereços, e páginas que não devem ser indexadas também são ignorados.",
    ),
    thresholds: &[threshold("fewest_repeats", REPEATED as u64, "parts")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: not_clean,
};

/// Parameters from which there are many: ours, since Google names no number.
const MANY_PARAMETERS: usize = 5;
/// Characters from which a sitemap may not list an address (sitemaps.org protocol).
const LONG: usize = 2_048;
/// Times a part of a path stands in it from which it looks like a loop of relative links.
const REPEATED: usize = 3;

fn session(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let url = facts.url()?;
    let Some(name) = session_parameter(url) else { return PASS };
    let canonical = match facts.single_canonical() {
        Ok(found) => Some(found),
        Err(NotMeasured::Absent) => None,
        Err(other) => return Err(other),
    };
    if canonical.is_some_and(|canonical| session_parameter(canonical.url).is_none()) {
        return PASS;
    }
    const HOLDS: Text =
        text("The URL has a session ID in the parameter {name}.", "A URL tem um ID de sessão no parâmetro {name}.");
    const WITHOUT: Text = text("the final URL without the session ID", "a URL final sem o ID de sessão");
    let values = [("name", name.into())];
    let fix = match canonical {
        Some(canonical) => rewritten(facts, &canonical, &mended(url, canonical.url), WITHOUT)?,
        None if facts.canonical_links()?.is_empty() => {
            let own = own(facts)?;
            FixDraft::head(HeadKey::Canonical, tag(&own)).from(WITHOUT, &[])
        }
        None => {
            const NAME: Text =
                text("Use the URL without {name} as the only canonical.", "Use a URL sem {name} como única canônica.");
            return problem(HOLDS, &values, FixDraft::instruction(FixTarget::Head, NAME, &values)).fail();
        }
    };
    problem(HOLDS, &values, fix).at(canonical.and_then(|canonical| place(facts, &canonical))).fail()
}

/// Parameters of an address that may change what is shown.
fn count_parameters(url: &Url) -> usize {
    let plain = without_tracking(url);
    plain.query().map_or(0, |query| query.split('&').filter(|pair| !pair.is_empty()).count())
}

fn parameters(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let count = count_parameters(facts.url()?);
    if count < MANY_PARAMETERS {
        return PASS;
    }
    if facts.single_canonical().is_ok_and(|canonical| count_parameters(canonical.url) < count) {
        return PASS;
    }
    const HAS: Text = text("The URL has {count} parameters.", "A URL tem {count} parâmetros.");
    const SHORTEN: Text = text(
        "Remove the parameters that don't change the content, and use the shortest URL as the canonical.",
        "Remova os parâmetros que não mudam o conteúdo e use a URL mais curta como canônica.",
    );
    problem(HAS, &[("count", count.into())], FixDraft::instruction(FixTarget::Page, SHORTEN, &[])).fail()
}

fn too_long(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let mut url = facts.url()?.clone();
    url.set_fragment(None);
    let length = url.as_str().len();
    if length < LONG {
        return PASS;
    }
    const HAS: Text = text("The URL has {length} characters.", "A URL tem {length} caracteres.");
    const MOVE: Text = text(
        "Keep filters, state and data out of the URL, or use a shorter URL as the canonical.",
        "Mantenha filtros, estados e dados fora da URL, ou use uma URL mais curta como canônica.",
    );
    problem(HAS, &[("length", length.into())], FixDraft::instruction(FixTarget::Page, MOVE, &[])).fail()
}

/// What makes a path hard to read, in the order of its checks.
fn blemishes(path: &str) -> Vec<Text> {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let has_underscore = |segment: &&str| {
        let mut threes = segment.as_bytes().windows(3);
        threes.any(|three| matches!(three, [a, b'_', b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic()))
    };
    let has_capital = |segment: &&str| {
        let name = segment.split('.').next().unwrap_or_default();
        let is_plain = !name.bytes().any(|byte| byte.is_ascii_digit() || byte == b'%');
        is_plain && name.bytes().any(|byte| byte.is_ascii_uppercase()) && !is_language(segment)
    };
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    segments.iter().for_each(|segment| *times.entry(segment).or_default() += 1);
    let mut found = Vec::new();
    let mut add = |is_there: bool, what: Text| found.extend(is_there.then_some(what));
    add(path.contains("%20"), text("an encoded space", "um espaço codificado"));
    add(path.contains("//"), text("a double slash", "uma barra dupla"));
    add(segments.iter().any(has_underscore), text("underscores between words", "sublinhados entre palavras"));
    add(segments.iter().any(has_capital), text("capital letters", "letras maiúsculas"));
    add(times.values().any(|count| *count >= REPEATED), text("a repeated segment", "um segmento repetido"));
    found
}

/// The path as one would write it today.
fn tidied(path: &str) -> String {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let words = segments.map(|segment| segment.replace("%20", "-").replace('_', "-"));
    let tidy = words.map(|segment| match segment.contains('%') {
        true => segment,
        false => segment.to_ascii_lowercase(),
    });
    format!("/{}{}", tidy.collect::<Vec<_>>().join("/"), if path.len() > 1 && path.ends_with('/') { "/" } else { "" })
}

/// Whether a system makes addresses of titles, capitals and underscores kept, as MediaWiki does.
fn is_by_title(html: &Html) -> bool {
    html.meta("generator").is_some_and(|generator| generator.starts_with("MediaWiki"))
}

fn not_clean(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let path = facts.url()?.path();
    let found = blemishes(path);
    if found.is_empty() || is_by_title(html) {
        return PASS;
    }
    const HOLDS: Text = text("The URL path has {what}.", "O caminho da URL tem {what}.");
    const WRITE: Text = text(
        "If you ever move the page, use {path} and redirect the old URL to it permanently.",
        "Se um dia mover a página, use {path} e redirecione a URL antiga para lá de forma permanente.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, WRITE, &[("path", tidied(path).into())]);
    let mut problem = problem(HOLDS, &[("path", path.into())], fix);
    // What is found differs by language, so it is filled in after the values.
    let list = |words: Vec<&str>| words.join(", ");
    problem.message.en = problem.message.en.replace("{what}", &list(found.iter().map(|what| what.en).collect()));
    problem.message.pt = problem.message.pt.replace("{what}", &list(found.iter().map(|what| what.pt).collect()));
    problem.fail()
}
