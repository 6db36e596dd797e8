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
        "Check the base tag of a page: no address, ignored, several, too late in the document, or sending all links to another site.",
        "Verifique a tag base de uma página: sem endereço, ignorada, repetida, tarde demais no documento ou levando os links a outro site.",
    ),
    lead: text(
        "One `<base>` changes where every relative link, image and script of a page leads. A wrong one breaks them all at once, and crawlers follow the broken addresses.",
        "Uma única `<base>` muda o destino de todo link, imagem e script relativo da página. Uma errada quebra todos de uma vez, e os robôs seguem os endereços quebrados.",
    ),
    example: include_str!("base_url/bad_late.html"),
};

const INVALID: Check = Check {
    code: "base_href_invalid",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Base address that misleads", "Endereço base que engana"),
    why: text(
        "All relative addresses hang on `<base>`. One that is ignored, comes late or names another site sends readers and crawlers to places you don't mean.",
        "Todos os endereços relativos dependem de `<base>`. Uma que é ignorada, chega tarde ou nomeia outro site manda leitores e robôs para onde você não quer.",
    ),
    how: text(
        "Keep one `<base>` with an http(s) address of your site, in front of every element with a relative address; or none.",
        "Mantenha uma só `<base>` com um endereço http(s) do seu site, antes de todo elemento com endereço relativo; ou nenhuma.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#the-base-element",
    rule: text(
        "Fails on the first of these: the address of a `base` with `href` is unreadable or not http(s); a second `base` has one; the first comes after an element whose address it would change; or it is of another registrable domain and at least one relative link of the page is led there. It is a note only where browsers leave the first `base` out, or where no address of the page would change with the second. Not applicable without a `base` that has an address.",
        "Falha no primeiro destes casos: o endereço de uma `base` com `href` é ilegível ou não é http(s); uma segunda `base` tem um; a primeira vem depois de um elemento cujo endereço mudaria com ela; ou ela é de outro domínio registrável e ao menos um link relativo da página vai parar lá. É só uma nota quando os navegadores ignoram a primeira `base`, ou quando nenhum endereço da página mudaria com a segunda. Não se aplica sem uma `base` com endereço.",
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
    let others = html.elements(&html.addressed).filter_map(|one| {
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
    const UNUSABLE: Text =
        text("The base address “{href}” can't be used.", "O endereço base “{href}” não pode ser usado.");
    const WITHOUT_EFFECT: Text = text(
        "The base address “{href}” can't be used, so browsers leave it out.",
        "O endereço base “{href}” não pode ser usado, então os navegadores o ignoram.",
    );
    const REPEATED: Text = text(
        "The page has {count} base elements; the first counts, and with the others no address would change.",
        "A página tem {count} elementos base; vale o primeiro, e com os outros nenhum endereço mudaria.",
    );
    const SEVERAL: Text = text(
        "The page has {count} base elements; the first, “{href}”, counts.",
        "A página tem {count} elementos base; vale o primeiro, “{href}”.",
    );
    const LATE: Text = text(
        "The base “{href}” comes after elements whose addresses it should change.",
        "A base “{href}” vem depois de elementos cujos endereços deveria mudar.",
    );
    const ELSEWHERE: Text = text(
        "The base “{href}” leads {links} relative {links|link|links} of the page to another site.",
        "A base “{href}” leva {links} {links|link relativo|links relativos} da página para outro site.",
    );
    const MOVE: Text = text(
        "Move the base to the start of the head, right behind the encoding, or take it out; look at what loads then.",
        "Mova a base para o início do head, logo depois da codificação, ou tire-a; confira o que carrega depois.",
    );
    const DECIDE: Text = text(
        "If the relative links are meant for this site, name it in the base or take the base out.",
        "Se os links relativos são deste site, nomeie-o na base ou tire a base.",
    );
    let links = || html.elements(&html.addressed).filter(|one| one.is("a")).filter_map(|a| a.attribute("href"));
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
    const NO_EFFECT: Text = text("Takes away what has no effect.", "Remove o que não tem efeito.");
    if bases.iter().any(|base| base.start_tag().is_none()) {
        return FixDraft::instruction(FixTarget::Head, INVALID.how, &[]);
    }
    let tag = first.and_then(Element::start_tag_source).unwrap_or_default();
    bases.iter().fold(FixDraft::edit(FixTarget::Head, tag).note(NO_EFFECT, &[]), |fix, base| fix.remove(*base))
}
