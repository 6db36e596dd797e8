//! The `base` element: what every relative address of the page hangs on.

use url::Url;

use crate::check::prelude::*;
use crate::facts::page::Html;
use crate::facts::url_identity::same_site;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "base-url", category: Category::Head, landing: LANDING, checks: &[INVALID] };

const LANDING: Landing = Landing {
    title: text("HTML base tag checker", "Verificador da tag base do HTML"),
    h1: text("Does a base tag break the links of your page?", "Uma tag base quebra os links da sua página?"),
    description: text(
        "Check the base tag of a page: invalid, ignored, repeated, too late in the document, or sending all links to another site.",
        "Verifique a tag base de uma página: inválida, ignorada, repetida, tarde demais no documento ou levando os links a outro site.",
    ),
    lead: text(
        "One `<base>` tag changes where every relative link, image and script of a page leads. A wrong one breaks all of them at once, and crawlers follow the broken URLs.",
        "Uma única tag `<base>` muda o destino de todo link, imagem e script relativo da página. Uma errada quebra todos de uma vez, e os robôs seguem as URLs quebradas.",
    ),
    example: include_str!("base_url/bad_late.html"),
};

const INVALID: Check = Check {
    code: "base_href_invalid",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Faulty base tag", "Tag base com erro"),
    why: text(
        "All relative URLs of the page depend on `<base>`. If it is ignored, comes late or points to another site, visitors and crawlers end up at the wrong URLs.",
        "Todas as URLs relativas da página dependem de `<base>`. Se ela é ignorada, vem tarde ou aponta para outro site, visitantes e robôs chegam às URLs erradas.",
    ),
    how: text(
        "Keep one `<base>` with an http(s) URL of your site, before every element with a relative URL, or remove it.",
        "Mantenha uma só `<base>` com uma URL http(s) do seu site, antes de todo elemento com URL relativa, ou remova-a.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#the-base-element",
    rule: text(
        "Fails on the first of these cases: a `base` has an invalid URL or one that is not http(s); the page has a second `base` with `href`; the first `base` comes after an element whose URL it would change; the `base` is on another registrable domain, and at least one relative link leads there. It is only a note when browsers ignore the first `base`, or when the second one would change no URL of the page. Not applicable without a `base` that has a URL.",
        "Falha no primeiro destes casos: uma `base` tem URL inválida ou que não é http(s); a página tem uma segunda `base` com `href`; a primeira `base` vem depois de um elemento cuja URL ela mudaria; a `base` é de outro domínio registrável e pelo menos um link relativo leva para lá. É só uma observação quando os navegadores ignoram a primeira `base`, ou quando a segunda não mudaria nenhuma URL da página. Não se aplica sem uma `base` que tenha URL.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: invalid,
};

/// The addresses of the page that a base may change, each with the byte where its element begins.
fn addresses(html: &Html) -> Vec<(usize, String)> {
    let start = |element: Element<'_>| element.start_tag().map(|span| span.start);
    let links = html.links.iter().filter_map(|link| Some((start(html.element(link.node)?)?, link.href.clone()?)));
    let others = html.elements(&html.hyperlinks).chain(html.elements(&html.addressed)).filter_map(|one| {
        let href = one.attribute("src").or(one.attribute("href"))?;
        Some((start(one)?, href.to_owned()))
    });
    links.chain(others).filter(|(_, href)| hangs_on_base(href)).collect()
}

/// Whether an address says neither scheme nor host itself, nor only a place in the page.
fn hangs_on_base(href: &str) -> bool {
    let href = href.trim();
    let has_scheme = href.find([':', '/', '?', '#']).is_some_and(|at| href.as_bytes().get(at) == Some(&b':'));
    !href.is_empty() && !has_scheme && !href.starts_with("//") && !href.starts_with('#')
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let bases: Vec<Element<'_>> = html.elements(&html.bases).collect();
    let Some((first, others)) = bases.split_first() else { return Err(NotMeasured::Absent) };
    let href = first.attribute("href").unwrap_or_default();
    let url = resolved(html, *first);
    const UNUSABLE: Text = text("The base URL “{href}” is invalid.", "A URL base “{href}” é inválida.");
    const WITHOUT_EFFECT: Text = text(
        "The base URL “{href}” is invalid, so browsers ignore it.",
        "A URL base “{href}” é inválida, por isso os navegadores a ignoram.",
    );
    const REPEATED: Text = text(
        "The page has {count} base tags. Browsers use the first; the others would change no URL.",
        "A página tem {count} tags base. Os navegadores usam a primeira; as outras não mudariam nenhuma URL.",
    );
    const SEVERAL: Text = text(
        "The page has {count} base tags. Browsers use only the first, “{href}”.",
        "A página tem {count} tags base. Os navegadores usam só a primeira, “{href}”.",
    );
    const LATE: Text = text(
        "The base tag “{href}” comes after elements whose URLs it should change.",
        "A tag base “{href}” vem depois de elementos cujas URLs deveria mudar.",
    );
    const ELSEWHERE: Text = text(
        "The base tag “{href}” sends {links} relative {links|link|links} of the page to another site.",
        "A tag base “{href}” leva {links} {links|link relativo|links relativos} da página a outro site.",
    );
    const MOVE: Text = text(
        "Move the base tag to the start of the head, right after the charset, or remove it. Then check that everything still loads.",
        "Mova a tag base para o início do head, logo depois do charset, ou remova-a. Depois, confira se tudo ainda carrega.",
    );
    const DECIDE: Text = text(
        "If the relative links belong to this site, use its URL in the base tag, or remove the tag.",
        "Se os links relativos são deste site, use a URL dele na tag base, ou remova a tag.",
    );
    let links = || html.elements(&html.hyperlinks).filter_map(|a| a.attribute("href"));
    let led_away =
        url.as_ref().filter(|url| !same_site(url, &html.url)).map(|_| links().filter(|l| hangs_on_base(l)).count());
    let addresses = addresses(html);
    let leads_elsewhere = |other: &Url, href: &str| html.resolve(href) != html.resolve_against(other, href);
    let changes = |other: &Url| addresses.iter().any(|(_, href)| leads_elsewhere(other, href));
    let is_late = || {
        let start = first.start_tag().map_or(0, |span| span.start);
        addresses.iter().any(|(at, href)| *at < start && leads_elsewhere(&html.url, href))
    };
    let (message, fix, has_effect) = if url.is_none() && !matches!(html.base.scheme(), "http" | "https") {
        (UNUSABLE, FixDraft::instruction(FixTarget::Head, DECIDE, &[]), true)
    } else if url.is_none() {
        // It has no effect, and neither have those behind it, which would get one if it went alone.
        (WITHOUT_EFFECT, without(&bases, None), false)
    } else if !others.is_empty() {
        let has_rival = others.iter().filter_map(|other| resolved(html, *other)).any(|other| changes(&other));
        (if has_rival { SEVERAL } else { REPEATED }, without(others, Some(*first)), has_rival)
    } else if is_late() {
        (LATE, FixDraft::instruction(FixTarget::Head, MOVE, &[]), true)
    } else if led_away.is_some_and(|links| links > 0) {
        (ELSEWHERE, FixDraft::instruction(FixTarget::Head, DECIDE, &[]), true)
    } else {
        return PASS;
    };
    let values = [("href", href.into()), ("count", bases.len().into()), ("links", led_away.unwrap_or_default().into())];
    problem(message, &values, fix).minor_if(!has_effect).on(&bases).fail()
}

/// The http(s) address of a base, against the page's own as the standard says: a base does not hang on itself.
fn resolved(html: &Html, base: Element<'_>) -> Option<Url> {
    let href = base.attribute("href").unwrap_or_default();
    let url = html.resolve_against(&html.url, href)?;
    Some(url).filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Takes bases away that have no effect; an instruction where one is not in the source.
fn without(bases: &[Element<'_>], first: Option<Element<'_>>) -> FixDraft {
    const NO_EFFECT: Text = text("Removes the base tags that have no effect.", "Remove as tags base sem efeito.");
    if bases.iter().any(|base| base.start_tag().is_none()) {
        return FixDraft::instruction(FixTarget::Head, INVALID.how, &[]);
    }
    let tag = first.and_then(Element::start_tag_source).unwrap_or_default();
    bases.iter().fold(FixDraft::edit(FixTarget::Head, tag).note(NO_EFFECT, &[]), |fix, base| fix.remove(*base))
}
