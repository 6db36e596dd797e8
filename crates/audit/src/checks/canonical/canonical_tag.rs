//! How the canonical is declared: where, how often, and with what beside it. (RFC 6596)

use url::Url;

use super::canonical::{elements, is_valid, own, place, tag};
use crate::check::prelude::*;
use crate::facts::canonical::CanonicalOrigin;
use crate::facts::elements::LinkElement;
use crate::facts::url_identity::same_page;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "canonical-tag",
    category: Category::Canonical,
    landing: Landing {
        title: text("Canonical tag validator", "Validador da tag canonical"),
        h1: text("Is my canonical tag declared right?", "Minha tag canonical está declarada certo?"),
        description: text(
            "Find canonical tags that search engines disregard: in the body, with extra attributes, repeated, or at odds with the Link header.",
            "Encontre tags canonical que os buscadores desconsideram: no body, com atributos a mais, repetidas ou em conflito com o cabeçalho Link.",
        ),
        lead: text(
            "A canonical counts only in the head, and only when it says nothing else. This tool parses the page as a browser does, so it sees where the tag really ends up.",
            "Uma canônica só vale no head, e só quando não diz mais nada. Esta ferramenta interpreta a página como um navegador, e por isso vê onde a tag realmente fica.",
        ),
        example: include_str!("canonical_tag/bad_body.html"),
    },
    checks: &[HEADER_MISMATCH, OUTSIDE_HEAD, ATTRIBUTE_EXTRA, DUPLICATE],
};

const HEADER_MISMATCH: Check = Check {
    code: "canonical_header_mismatch",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Header and page name different canonicals", "Cabeçalho e página nomeiam canônicas diferentes"),
    why: text(
        "Two answers to one question: search engines may ignore both.",
        "Duas respostas para uma pergunta: os buscadores podem ignorar ambas.",
    ),
    how: text(
        "Send the same address in both places, or in one only.",
        "Envie o mesmo endereço nos dois lugares, ou em um só.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-header-method",
    rule: text(
        "Fails when the `Link` header names a canonical and so does the head, once, and the two addresses differ after resolution. Not measured of supplied bytes.",
        "Falha quando o cabeçalho `Link` indica uma canônica e o head também, uma só, e os dois endereços diferem depois de resolvidos. Não se mede em bytes fornecidos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: header_mismatch,
};

const OUTSIDE_HEAD: Check = Check {
    code: "canonical_outside_head",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Canonical in the body", "Canônica no body"),
    why: text(
        "Search engines read a canonical in the head only, since anybody's comment could put one into the body.",
        "Os buscadores só leem a canônica no head, pois o comentário de qualquer um poderia pôr uma no body.",
    ),
    how: text("Move the tag into the head.", "Mova a tag para o head."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when the parsed page has a usable `link rel=\"canonical\"` in `body` and none in `head`. A tag that a stray element pushed out of the head is told as a broken head instead.",
        "Falha quando a página interpretada tem um `link rel=\"canonical\"` utilizável no `body` e nenhum no `head`. Uma tag que um elemento fora de lugar empurrou do head é apontada como head quebrado.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: outside_head,
};

const ATTRIBUTE_EXTRA: Check = Check {
    code: "canonical_attribute_extra",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Canonical with attributes of an alternate", "Canônica com atributos de alternate"),
    why: text(
        "Google disregards a canonical that also says hreflang, lang, media or type.",
        "O Google desconsidera uma canônica que também diz hreflang, lang, media ou type.",
    ),
    how: text(
        "Take the attributes off; put them on a `link rel=\"alternate\"` of its own if they are meant.",
        "Tire os atributos; ponha-os em um `link rel=\"alternate\"` próprio se forem intencionais.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when a `link rel=\"canonical\"` of the head has one of `hreflang`, `lang`, `media` and `type`, whatever its value. Other attributes pass.",
        "Falha quando um `link rel=\"canonical\"` do head tem um de `hreflang`, `lang`, `media` e `type`, qualquer que seja o valor. Outros atributos passam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: attribute_extra,
};

const DUPLICATE: Check = Check {
    code: "canonical_duplicate",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("The same canonical twice", "A mesma canônica duas vezes"),
    why: text(
        "It does no harm until one of the two places that write it is changed and the other is not.",
        "Não faz mal até que um dos dois lugares que a escrevem mude e o outro não.",
    ),
    how: text("Keep one tag.", "Mantenha uma só tag."),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-5",
    rule: text(
        "Fails when the head has two or more `link rel=\"canonical\"` that name one address after URL parsing. Different addresses are told by `canonical_multiple`, and the `Link` header is not counted.",
        "Falha quando o head tem dois ou mais `link rel=\"canonical\"` que indicam um mesmo endereço depois de interpretado como URL. Endereços diferentes ficam com `canonical_multiple`, e o cabeçalho `Link` não conta.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: duplicate,
};

fn header_mismatch(facts: &Facts<'_>) -> Verdict {
    facts.measured_response()?;
    let Some((header, raw)) = facts.canonical_header() else { return Err(NotMeasured::Absent) };
    let declared = facts.single_canonical()?;
    let CanonicalOrigin::Tag(_) = declared.origin else { return Err(NotMeasured::Absent) };
    let url = declared.url;
    if url.as_str() == header {
        return PASS;
    }
    const DIFFER: Text =
        text("The Link header names {header}, the page {page}.", "O cabeçalho Link nomeia {header}, a página {page}.");
    const SAME: Text = text(
        "Send `<{page}>; rel=\"canonical\"` in the header too, or drop it there.",
        "Envie `<{page}>; rel=\"canonical\"` também no cabeçalho, ou remova-o de lá.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, SAME, &[("page", url.as_str().into())]);
    let header_place = Place { snippet: Some(format!("Link: {raw}")), ..Place::default() };
    let values = [("header", header.as_str().into()), ("page", url.as_str().into())];
    problem(DIFFER, &values, fix).at(place(facts, &declared)).at([header_place]).fail()
}

fn outside_head(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let lost = |link: &&LinkElement| html.lost_head.as_ref().is_some_and(|head| head.lost.contains(&link.node));
    let body: Vec<&LinkElement> =
        html.links_rel("canonical").filter(|link| !link.in_head && is_valid(link)).filter(|link| !lost(link)).collect();
    if !facts.canonical_links()?.is_empty() {
        return PASS;
    }
    let Some((link, url)) = body.first().and_then(|link| Some((link, link.url.as_ref()?))) else {
        return Err(NotMeasured::Absent);
    };
    const IN_BODY: Text = text(
        "The canonical, {url}, stands in the body, where it is ignored.",
        "A canônica, {url}, está no body, onde é ignorada.",
    );
    const MOVED: Text = text("the page's own tag, moved", "a própria tag da página, movida");
    const DECIDE: Text = text(
        "Put a canonical into the head; {url}, which the tag in the body names, is not this page: decide which address is meant.",
        "Ponha uma canônica no head; {url}, que a tag no body indica, não é esta página: decida qual endereço vale.",
    );
    let values = [("url", url.as_str().into())];
    // Moved, it would begin to count: only where it names this very page is that no decision.
    let own = own(facts)?;
    let is_own = body.iter().all(|link| link.url.as_ref().is_some_and(|url| same_page(url, &own)));
    let fix = if is_own {
        let fix = FixDraft::head(HeadKey::Canonical, tag(&own)).from(MOVED, &[]);
        body.iter().filter_map(|link| html.element(link.node)).fold(fix, FixDraft::remove)
    } else {
        FixDraft::instruction(FixTarget::Head, DECIDE, &values)
    };
    problem(IN_BODY, &values, fix).on(elements(facts, &[link])).fail()
}

fn attribute_extra(facts: &Facts<'_>) -> Verdict {
    /// What makes an annotation one of an alternate version.
    const EXTRA: [&str; 4] = ["hreflang", "lang", "media", "type"];
    let html = facts.page()?;
    let links = facts.canonical_links()?;
    if links.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let has_extra = |link: &&&LinkElement| {
        html.element(link.node).is_some_and(|element| EXTRA.iter().any(|name| element.has(name)))
    };
    let bad: Vec<&LinkElement> = links.iter().filter(has_extra).copied().collect();
    let Some((first, element)) = bad.first().and_then(|link| Some((link, html.element(link.node)?))) else {
        return PASS;
    };
    const ALSO: Text = text(
        "The canonical also has {names}, and is disregarded.",
        "A canônica também tem {names}, e é desconsiderada.",
    );
    const WITHOUT: Text = text("the page's own tag without them", "a própria tag da página sem eles");
    const SPLIT: Text = text(
        "Write two tags: a canonical without {names}, and a separate alternate.",
        "Escreva duas tags: uma canônica sem {names}, e um alternate à parte.",
    );
    let names: Vec<&str> = EXTRA.into_iter().filter(|name| element.has(name)).collect();
    let values = [("names", names.join(", ").into())];
    let is_only = bad.iter().all(|link| link.rels.len() == 1 && is_valid(link));
    let fix = match first.url.as_ref().filter(|_| is_only) {
        Some(url) => bad
            .iter()
            .filter_map(|link| html.element(link.node))
            .flat_map(|element| {
                EXTRA.into_iter().filter(move |name| element.has(name)).map(move |name| (element, name))
            })
            .fold(FixDraft::edit(FixTarget::Head, tag(url)), |fix, (element, name)| fix.unset(element, name))
            .from(WITHOUT, &[]),
        None => FixDraft::instruction(FixTarget::Head, SPLIT, &values),
    };
    problem(ALSO, &values, fix).on(elements(facts, &bad)).fail()
}

fn duplicate(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let links: Vec<&LinkElement> = facts.canonical_links()?.into_iter().filter(|link| is_valid(link)).collect();
    let mut urls: Vec<&Url> = links.iter().filter_map(|link| link.url.as_ref()).collect();
    let count = urls.len();
    urls.sort();
    urls.dedup();
    let [url] = urls.as_slice() else {
        return if urls.is_empty() { Err(NotMeasured::Absent) } else { PASS };
    };
    if count < 2 {
        return PASS;
    }
    const TWICE: Text =
        text("The head names the canonical {url} {count} times.", "O head indica a canônica {url} {count} vezes.");
    const FIRST: Text = text("the first of the page's own tags", "a primeira das tags da própria página");
    let rest = links.iter().skip(1).filter_map(|link| html.element(link.node));
    let fix = rest.fold(FixDraft::edit(FixTarget::Head, tag(url)).from(FIRST, &[]), FixDraft::remove);
    let values = [("url", url.as_str().into()), ("count", count.into())];
    problem(TWICE, &values, fix).on(elements(facts, &links)).fail()
}
