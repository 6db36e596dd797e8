//! The `base` element: what every relative address of the page hangs on.

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
        "Fails on the first of these: the address of a `base` with `href` is unreadable or not http(s); a second `base` has one; the first stands in the source behind an element with a relative address; or it is of another registrable domain and at least one relative link of the page is led there. Not applicable without a `base` that has an address.",
        "Falha no primeiro destes casos: o endereço de uma `base` com `href` é ilegível ou não é http(s); uma segunda `base` tem um; a primeira vem no código depois de um elemento com endereço relativo; ou ela é de outro domínio registrável e ao menos um link relativo da página vai parar lá. Não se aplica sem uma `base` com endereço.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: invalid,
};

/// Byte at which the first address stands that the base is too late for.
fn first_address(html: &Html) -> Option<usize> {
    let is_relative = |value: Option<&str>| value.is_some_and(hangs_on_base);
    let start = |element: Element<'_>| element.start_tag().map(|span| span.start);
    let links = html.links.iter().filter(|link| is_relative(link.href.as_deref()));
    let first_link = links.filter_map(|link| html.element(link.node)).find_map(start);
    let other =
        html.elements(&html.addressed).filter(|one| is_relative(one.attribute("src").or(one.attribute("href"))));
    let first_other = other.into_iter().find_map(start);
    first_link.into_iter().chain(first_other).min()
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
    // Against the page's own address, as the standard says: the base does not hang on itself.
    let url = url::Url::options().base_url(Some(&html.url)).parse(href).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    const UNUSABLE: Text =
        text("The base address “{href}” can't be used.", "O endereço base “{href}” não pode ser usado.");
    const SEVERAL: Text = text(
        "The page has {count} base elements; the first, “{href}”, counts.",
        "A página tem {count} elementos base; vale o primeiro, “{href}”.",
    );
    const LATE: Text = text(
        "The base “{href}” stands behind elements that it should hold for.",
        "A base “{href}” vem depois de elementos para os quais deveria valer.",
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
    let is_late = || first_address(html).zip(first.start_tag()).is_some_and(|(at, base)| at < base.start);
    let (message, fix) = if url.is_none() && !matches!(html.base.scheme(), "http" | "https") {
        (UNUSABLE, FixDraft::instruction(FixTarget::Head, DECIDE, &[]))
    } else if url.is_none() {
        // It has no effect, and neither have those behind it, which would get one if it went alone.
        (UNUSABLE, without(&bases, None))
    } else if !others.is_empty() {
        (SEVERAL, without(others, Some(*first)))
    } else if is_late() {
        (LATE, FixDraft::instruction(FixTarget::Head, MOVE, &[]))
    } else if led_away.is_some_and(|links| links > 0) {
        (ELSEWHERE, FixDraft::instruction(FixTarget::Head, DECIDE, &[]))
    } else {
        return PASS;
    };
    let values = [("href", href.into()), ("count", bases.len().into()), ("links", led_away.unwrap_or_default().into())];
    problem(message, &values, fix).on(&bases).fail()
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
