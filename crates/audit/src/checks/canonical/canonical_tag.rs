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
        h1: text("Is my canonical tag valid?", "Minha tag canonical é válida?"),
        description: text(
            "Find canonical tags that search engines ignore: in the body, with extra attributes, repeated, or in conflict with the Link header.",
            "Encontre tags canonical que os buscadores ignoram: no body, com atributos a mais, repetidas ou em conflito com o cabeçalho Link.",
        ),
        lead: text(
            "A canonical counts only in the head, and only without attributes of an alternate. This tool parses the page as a browser does, so it sees where the tag really ends up.",
            "Uma canônica só vale no head e sem atributos de alternate. Esta ferramenta interpreta a página como um navegador, por isso vê onde a tag realmente fica.",
        ),
        example: include_str!("canonical_tag/bad_body.html"),
    },
    checks: &[HEADER_MISMATCH, OUTSIDE_HEAD, ATTRIBUTE_EXTRA, DUPLICATE],
};

const HEADER_MISMATCH: Check = Check {
    code: "canonical_header_mismatch",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Link header and head have different canonicals", "Canônicas diferentes no cabeçalho Link e no head"),
    why: text(
        "Search engines may ignore both when they conflict.",
        "Os buscadores podem ignorar ambas quando há conflito.",
    ),
    how: text(
        "Use the same URL in both places, or declare it in one place only.",
        "Use a mesma URL nos dois lugares, ou declare-a em um só.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-header-method",
    rule: text(
        "Fails when the `Link` header and the head each have one canonical and the two URLs differ after resolution. Not measured for uploaded HTML.",
        "Falha quando o cabeçalho `Link` e o head têm uma canônica cada um e as duas URLs diferem depois de resolvidas. Não é medido em HTML enviado pelo usuário.",
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
        "Search engines accept a canonical only in the head, since a user comment could put one into the body.",
        "Os buscadores só aceitam a canônica no head, pois um comentário de usuário poderia pôr uma no body.",
    ),
    how: text("Move the tag into the head.", "Mova a tag para o head."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when the parsed page has a valid `link rel=\"canonical\"` in `body` and none in `head`. A tag that a stray element pushed out of the head is reported as a broken head instead.",
        "Falha quando a página interpretada tem um `link rel=\"canonical\"` válido no `body` e nenhum no `head`. Uma tag que um elemento fora de lugar empurrou para fora do head é relatada como head quebrado.",
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
        "Google ignores a canonical that also has hreflang, lang, media or type.",
        "O Google ignora uma canônica que também tem hreflang, lang, media ou type.",
    ),
    how: text(
        "Remove these attributes, or move them to a separate `link rel=\"alternate\"`.",
        "Remova esses atributos ou mova-os para um `link rel=\"alternate\"` separado.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when a `link rel=\"canonical\"` in the head has a `hreflang`, `lang`, `media` or `type` attribute, whatever its value. Other attributes pass.",
        "Falha quando um `link rel=\"canonical\"` no head tem um atributo `hreflang`, `lang`, `media` ou `type`, seja qual for o valor. Outros atributos passam.",
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
    title: text("Duplicate canonical tag", "Tag canonical duplicada"),
    why: text(
        "The duplicate is harmless until someone changes only one of the two. Then the canonicals conflict and are ignored.",
        "A duplicata é inofensiva até alguém mudar só uma das duas. Então as canônicas entram em conflito e são ignoradas.",
    ),
    how: text("Keep one canonical tag.", "Mantenha uma só tag canonical."),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-5",
    rule: text(
        "Fails when the head has two or more `link rel=\"canonical\"` that resolve to the same URL. Different URLs are reported by `canonical_multiple`. The `Link` header is not counted.",
        "Falha quando o head tem dois ou mais `link rel=\"canonical\"` que resolvem para a mesma URL. URLs diferentes são relatadas por `canonical_multiple`. O cabeçalho `Link` não conta.",
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
    const DIFFER: Text = text(
        "The canonical in the Link header is {header}, but the one in the head is {page}.",
        "A canônica no cabeçalho Link é {header}, mas a do head é {page}.",
    );
    const SAME: Text = text(
        "Send `<{page}>; rel=\"canonical\"` in the Link header too, or remove the canonical from it.",
        "Envie `<{page}>; rel=\"canonical\"` também no cabeçalho Link, ou remova a canônica dele.",
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
        "The canonical {url} is in the body, where search engines ignore it.",
        "A canônica {url} está no body, onde os buscadores a ignoram.",
    );
    const MOVED: Text = text("the page's own tag, moved to the head", "a própria tag da página, movida para o head");
    const DECIDE: Text = text(
        "Add a canonical to the head. The one in the body points to {url}, not to this page: decide which URL is right.",
        "Adicione uma canônica ao head. A do body aponta para {url}, não para esta página: decida qual URL está certa.",
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
        "The canonical also has {names}, so Google ignores it.",
        "A canônica também tem {names}, por isso o Google a ignora.",
    );
    const WITHOUT: Text =
        text("the page's own tag without these attributes", "a própria tag da página, sem esses atributos");
    const SPLIT: Text = text(
        "Write two tags: a canonical without {names}, and a separate alternate.",
        "Escreva duas tags: uma canônica sem {names} e um alternate à parte.",
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
    const TWICE: Text = text(
        "The head has {count} canonical tags for the same URL, {url}.",
        "O head tem {count} tags canonical para a mesma URL, {url}.",
    );
    const FIRST: Text = text("the first canonical tag of the page", "a primeira tag canonical da página");
    let rest = links.iter().skip(1).filter_map(|link| html.element(link.node));
    let fix = rest.fold(FixDraft::edit(FixTarget::Head, tag(url)).from(FIRST, &[]), FixDraft::remove);
    let values = [("url", url.as_str().into()), ("count", count.into())];
    problem(TWICE, &values, fix).on(elements(facts, &links)).fail()
}
