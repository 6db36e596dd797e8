//! Redirects that a page makes itself: by a refresh, or by a script.

use crate::check::prelude::*;
use crate::facts::redirects::by_script;
use crate::facts::refresh::parse_refresh;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "meta-refresh",
    category: Category::Http,
    landing: Landing {
        title: text("Meta refresh and JavaScript redirect test", "Teste de meta refresh e redirecionamento JavaScript"),
        h1: text("Does my page redirect by itself?", "Minha página redireciona sozinha?"),
        description: text(
            "Find redirects that only browsers follow: meta refresh tags, Refresh headers, and scripts that send visitors to another URL.",
            "Encontre redirecionamentos que só navegadores seguem: tags meta refresh, cabeçalhos Refresh e scripts que levam a outra URL.",
        ),
        lead: text(
            "A redirect inside the page loads two pages, breaks the back button, and is missed by clients that run no scripts. This tool finds it and gives you the server redirect that replaces it.",
            "Um redirecionamento dentro da página carrega duas páginas, atrapalha o botão Voltar e passa despercebido por clientes que não executam scripts. Esta ferramenta o encontra e mostra o redirecionamento de servidor que o substitui.",
        ),
        example: include_str!("meta_refresh/bad_refresh.html"),
    },
    checks: &[META_REFRESH, SCRIPT],
};

const META_REFRESH: Check = Check {
    code: "redirect_meta_refresh",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Page refreshes or redirects itself", "A página se recarrega ou redireciona sozinha"),
    why: text(
        "Visitors lose the page while they read it, most of all those who need more time. Search engines treat a refresh as a weak redirect.",
        "Os visitantes perdem a página durante a leitura, sobretudo quem precisa de mais tempo. Os buscadores tratam o refresh como um redirecionamento fraco.",
    ),
    how: text(
        "Redirect on the server with status 301. To update data, load it with a script, or let the visitor reload.",
        "Redirecione no servidor com o status 301. Para atualizar dados, carregue-os com um script ou deixe o visitante recarregar.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects#metarefresh",
    rule: text(
        "Fails on a `meta http-equiv=\"refresh\"` tag or a `Refresh` header that leads to another URL, whatever its delay, or that reloads the page after 1 to 72,000 seconds. A refresh inside `noscript` or to a `javascript:` URL is ignored, and so is a delay of more than 20 hours (WCAG 2.2.1).",
        "Falha com uma tag `meta http-equiv=\"refresh\"` ou um cabeçalho `Refresh` que leva a outra URL, seja qual for o atraso, ou que recarrega a página depois de 1 a 72.000 segundos. Um refresh dentro de `noscript` ou para uma URL `javascript:` é ignorado, assim como um atraso de mais de 20 horas (WCAG 2.2.1).",
    ),
    thresholds: &[threshold("longest_delay", LONGEST_DELAY, "s")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: meta_refresh,
};

const SCRIPT: Check = Check {
    code: "redirect_js_only",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("JavaScript-only redirect", "Redirecionamento só por JavaScript"),
    why: text(
        "Clients that run no scripts, such as AI agents and link previews, stay on an empty page. Search engines follow later, if at all.",
        "Clientes que não executam scripts, como agentes de IA e prévias de links, ficam em uma página vazia. Os buscadores seguem mais tarde, se seguirem.",
    ),
    how: text(
        "Redirect on the server. Where that is not possible, use a meta refresh with a delay of 0.",
        "Redirecione no servidor. Onde isso não for possível, use um meta refresh com atraso 0.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects#jslocation",
    rule: text(
        "Fails on a page with fewer than 50 words and no script file, when an inline script assigns a literal URL other than the page's own to `location` or passes it to `location.replace()` or `location.assign()`. A URL that the script builds is ignored, and so is a page that also has a refresh.",
        "Falha em uma página com menos de 50 palavras e nenhum arquivo de script, quando um script embutido atribui a `location` uma URL literal diferente da própria página, ou a passa a `location.replace()` ou `location.assign()`. Uma URL montada pelo script é ignorada, assim como uma página que também tem um refresh.",
    ),
    thresholds: &[threshold("fewest_words", crate::facts::shell::FEW_WORDS as u64, "words")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: script,
};

/// Seconds from which a refresh leaves time enough: 20 hours (WCAG 2.2, success criterion 2.2.1; ACT rule bc659a).
const LONGEST_DELAY: u64 = 72_000;

/// A refresh of the page: its delay, the address it names, and where it is.
struct Refresh {
    delay: u64,
    target: Option<String>,
    place: Place,
    in_page: bool,
}

/// Every refresh: of the header first, since a browser obeys it first.
fn refreshes(facts: &Facts<'_>) -> Result<Vec<Refresh>, NotMeasured> {
    let html = facts.page()?;
    let header = facts.response()?.header("refresh").and_then(|value| {
        let (delay, target) = parse_refresh(value)?;
        let place = Place { snippet: Some(format!("Refresh: {value}")), ..Place::default() };
        Some(Refresh { delay, target, place, in_page: false })
    });
    let metas = html.metas.iter().filter(|meta| meta.http_equiv.as_deref() == Some("refresh")).filter_map(|meta| {
        // As it is written: of white space, only that of ASCII parts a delay from an address.
        let element = html.element(meta.node)?;
        let (delay, target) = parse_refresh(element.attribute("content")?)?;
        Some(Refresh { delay, target, place: element.place(), in_page: true })
    });
    Ok(header.into_iter().chain(metas).collect())
}

fn meta_refresh(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let own = facts.url()?;
    // Of several a browser obeys the first it meets.
    let Some(refresh) = refreshes(facts)?.into_iter().next() else {
        facts.whole_page()?;
        return PASS;
    };
    let target = refresh.target.as_deref().and_then(|target| html.resolve(target));
    // Browsers do nothing then (HTML, shared declarative refresh steps).
    if target.as_ref().is_some_and(|url| url.scheme() == "javascript") {
        return PASS;
    }
    let elsewhere = target.filter(|url| !same_page(url, own));
    let fix_target = if refresh.in_page { FixTarget::Head } else { FixTarget::Page };
    let found = match elsewhere {
        Some(url) => {
            const LEADS: Text = text(
                "The page redirects to {target} after {delay} {delay|second|seconds}.",
                "A página redireciona para {target} depois de {delay} {delay|segundo|segundos}.",
            );
            const AT_ONCE: Text = text(
                "The page redirects to {target} with a refresh instead of a server redirect.",
                "A página redireciona para {target} com um refresh em vez de um redirecionamento no servidor.",
            );
            const SERVER: Text = text(
                "Redirect {from} to {target} on the server with status 301, and remove the refresh.",
                "Redirecione {from} para {target} no servidor com o status 301 e remova o refresh.",
            );
            let values =
                [("delay", refresh.delay.into()), ("from", own.as_str().into()), ("target", url.as_str().into())];
            let message = if refresh.delay == 0 { AT_ONCE } else { LEADS };
            problem(message, &values, FixDraft::instruction(fix_target, SERVER, &values))
        }
        None if (1..=LONGEST_DELAY).contains(&refresh.delay) => {
            const RELOADS: Text = text(
                "The page reloads itself every {delay|second|{delay} seconds}.",
                "A página se recarrega a cada {delay|segundo|{delay} segundos}.",
            );
            const DROP: Text = text(
                "Remove the refresh. Load new data with a script, or offer a link to reload.",
                "Remova o refresh. Carregue os dados novos com um script ou ofereça um link para recarregar.",
            );
            problem(RELOADS, &[("delay", refresh.delay.into())], FixDraft::instruction(fix_target, DROP, &[]))
        }
        None => return PASS,
    };
    found.at([refresh.place]).fail()
}

fn script(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if facts.refresh().is_some() {
        return PASS;
    }
    let Some(found) = by_script(html) else { return PASS };
    const ONLY: Text = text(
        "The page has little content and redirects to {target} with a script only.",
        "A página tem pouco conteúdo e redireciona para {target} só por script.",
    );
    const SERVER: Text = text(
        "Redirect {from} to {target} on the server with status 301.",
        "Redirecione {from} para {target} no servidor com o status 301.",
    );
    let values = [("from", facts.url()?.as_str().into()), ("target", found.url.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Page, SERVER, &values);
    problem(ONLY, &values, fix).on(html.element(found.node)).fail()
}
