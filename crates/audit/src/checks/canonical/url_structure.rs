//! The form of the page's address.

use std::collections::BTreeMap;

use url::Url;

use super::canonical::{own, place, rewritten, tag};
use crate::check::prelude::*;
use crate::facts::canonical::{is_language, mended};
use crate::facts::url_identity::{session_parameter, without_tracking};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "url-structure",
    category: Category::Canonical,
    landing: Landing {
        title: text("SEO URL structure checker", "Verificador de estrutura de URL"),
        h1: text("Is the URL of my page well formed for search?", "A URL da minha página é boa para a busca?"),
        description: text(
            "Check the address of a page: session IDs, too many parameters, overlong URLs, spaces, underscores, capitals and double slashes.",
            "Verifique o endereço da página: IDs de sessão, parâmetros demais, URLs longas, espaços, sublinhados, maiúsculas e barras duplas.",
        ),
        lead: text(
            "Simple addresses are crawled once and shared whole; session IDs and piles of parameters make endless copies of one page. This tool looks at the address the page ends up at.",
            "Endereços simples são rastreados uma vez e compartilhados inteiros; IDs de sessão e montes de parâmetros criam cópias sem fim de uma página. Esta ferramenta olha o endereço em que a página termina.",
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
    title: text("Address holds a visitor's session", "O endereço contém a sessão de um visitante"),
    why: text(
        "Every visit makes a new address of the same page: crawlers drown in copies, and who shares a link may share the session.",
        "Cada visita cria um novo endereço da mesma página: os robôs se afogam em cópias, e quem compartilha o link pode compartilhar a sessão.",
    ),
    how: text(
        "Keep sessions in cookies, and name the address without them as canonical.",
        "Guarde sessões em cookies, e indique como canônico o endereço sem elas.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when path or query of the final address has a parameter of the table of session parameters, and the page names no canonical that has none. Names used for other things too, such as `sid`, count only with a value that looks like a token: 16 characters and more, digits among them.",
        "Falha quando o caminho ou a query do endereço final tem um parâmetro da tabela de parâmetros de sessão, e a página não indica uma canônica sem nenhum. Nomes usados para outras coisas, como `sid`, só contam com um valor que parece um token: 16 caracteres ou mais, com dígitos.",
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
    title: text("Address with many parameters", "Endereço com muitos parâmetros"),
    why: text(
        "Parameters in every order and mixture make many addresses of few pages, and crawlers try them all.",
        "Parâmetros em toda ordem e mistura criam muitos endereços para poucas páginas, e os robôs tentam todos.",
    ),
    how: text(
        "Leave out what does not change the content, and name the shortest address as canonical.",
        "Deixe de fora o que não muda o conteúdo, e indique o endereço mais curto como canônico.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the query of the final address has 5 parameters or more, tracking and session parameters not counted, and the page names no canonical with fewer.",
        "Falha quando a query do endereço final tem 5 parâmetros ou mais, sem contar os de rastreamento e sessão, e a página não indica uma canônica com menos.",
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
    title: text("Address too long for a sitemap", "Endereço longo demais para um sitemap"),
    why: text(
        "A sitemap may not list it, and mail programs and messengers cut such a link.",
        "Um sitemap não pode listá-lo, e programas de e-mail e mensageiros cortam um link assim.",
    ),
    how: text("Move state out of the address.", "Tire o estado do endereço."),
    reference: "https://www.sitemaps.org/protocol.html#locdef",
    rule: text(
        "Fails when the final address, without its fragment, has 2,048 characters or more.",
        "Falha quando o endereço final, sem o fragmento, tem 2.048 caracteres ou mais.",
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
    title: text("Address that is hard to read and to type", "Endereço difícil de ler e de digitar"),
    why: text(
        "Search engines take every spelling for another page, and words that underscores join for one word.",
        "Os buscadores entendem cada grafia como outra página, e palavras unidas por sublinhado como uma só.",
    ),
    how: text(
        "For new pages use lower-case words joined by hyphens; redirect an old address if you change it.",
        "Em páginas novas use palavras minúsculas unidas por hífens; redirecione o endereço antigo se mudá-lo.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the path of the final address holds an encoded space, `//`, an underscore between two letters, a capital letter in a part without digits, or the same part three times and more. Parts with digits may be identifiers, whose capitals count, and are left alone; so are language codes such as `en-US`, and a page that is not to be indexed.",
        "Falha quando o caminho do endereço final contém um espaço codificado, `//`, um sublinhado entre duas letras, uma maiúscula em uma parte sem dígitos, ou a mesma parte três vezes ou mais. Partes com dígitos podem ser identificadores, cujas maiúsculas importam, e ficam de fora; assim como códigos de idioma como `en-US` e uma página que não deve ser indexada.",
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
    const HOLDS: Text = text("The address holds a session: {name}.", "O endereço contém uma sessão: {name}.");
    const WITHOUT: Text = text("the final URL without the session", "a URL final sem a sessão");
    let values = [("name", name.into())];
    let fix = match canonical {
        Some(canonical) => rewritten(facts, &canonical, &mended(url, canonical.url), WITHOUT)?,
        None if facts.canonical_links()?.is_empty() => {
            let own = own(facts)?;
            FixDraft::head(HeadKey::Canonical, tag(&own)).from(WITHOUT, &[])
        }
        None => {
            const NAME: Text = text(
                "Name the address without {name} as the one canonical.",
                "Indique o endereço sem {name} como a única canônica.",
            );
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
    const HAS: Text = text("The address has {count} parameters.", "O endereço tem {count} parâmetros.");
    const SHORTEN: Text = text(
        "Drop the parameters that don't change the content, and name the shortest address as canonical.",
        "Tire os parâmetros que não mudam o conteúdo, e indique o endereço mais curto como canônico.",
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
    const HAS: Text = text("The address has {length} characters.", "O endereço tem {length} caracteres.");
    const MOVE: Text = text(
        "Keep filters, states and data out of the address, or name a shorter one as canonical.",
        "Mantenha filtros, estados e dados fora do endereço, ou indique um mais curto como canônico.",
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
    add(times.values().any(|count| *count >= REPEATED), text("a part that repeats", "uma parte que se repete"));
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

fn not_clean(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    facts.indexable()?;
    let path = facts.url()?.path();
    let found = blemishes(path);
    if found.is_empty() {
        return PASS;
    }
    const HOLDS: Text = text("The path of the address has {what}.", "O caminho do endereço tem {what}.");
    const WRITE: Text = text(
        "If you ever move the page, {path} reads better; redirect the old address to it for good.",
        "Se um dia mover a página, {path} se lê melhor; redirecione o endereço antigo para lá de forma permanente.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, WRITE, &[("path", tidied(path).into())]);
    let mut problem = problem(HOLDS, &[("path", path.into())], fix);
    // What is found differs by language, so it is filled in after the values.
    let list = |words: Vec<&str>| words.join(", ");
    problem.message.en = problem.message.en.replace("{what}", &list(found.iter().map(|what| what.en).collect()));
    problem.message.pt = problem.message.pt.replace("{what}", &list(found.iter().map(|what| what.pt).collect()));
    problem.fail()
}
