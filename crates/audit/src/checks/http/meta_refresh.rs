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
            "Find redirects that only browsers follow: meta refresh tags, Refresh headers and scripts that send visitors to another address.",
            "Encontre redirecionamentos que só navegadores seguem: meta refresh, cabeçalhos Refresh e scripts que mandam o visitante a outro endereço.",
        ),
        lead: text(
            "A redirect inside the page loads twice, confuses the back button, and is missed by readers that run no scripts. This tool finds it and writes out the server redirect that replaces it.",
            "Um redirecionamento dentro da página carrega duas vezes, confunde o botão voltar e passa despercebido por leitores que não executam scripts. Esta ferramenta o encontra e escreve o redirecionamento de servidor que o substitui.",
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
        "The page is taken away while it is read, by people who need time most of all; search engines take it for a redirect, if a weak one.",
        "A página some durante a leitura, sobretudo para quem precisa de mais tempo; os buscadores a entendem como redirecionamento, e dos fracos.",
    ),
    how: text(
        "Redirect on the server with status 301. To refresh data, load it with a script, or let the visitor ask for it.",
        "Redirecione no servidor com o status 301. Para atualizar dados, carregue-os com um script, ou deixe o visitante pedir.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects#metarefresh",
    rule: text(
        "Fails on a `meta http-equiv=\"refresh\"` or a `Refresh` header that names another address, whatever its delay, or that loads the page itself anew after 1 to 72,000 seconds. What is inside `noscript` is left alone, and so is a delay past 20 hours (WCAG 2.2.1).",
        "Falha com um `meta http-equiv=\"refresh\"` ou um cabeçalho `Refresh` que indica outro endereço, seja qual for o atraso, ou que recarrega a própria página depois de 1 a 72.000 segundos. O que está em `noscript` fica de fora, assim como um atraso acima de 20 horas (WCAG 2.2.1).",
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
    title: text("Only a script leads to the page", "Só um script leva à página"),
    why: text(
        "Readers that run no scripts, AI agents and previews among them, stay on an empty page; search engines follow later, if at all.",
        "Leitores que não executam scripts, como agentes de IA e prévias, ficam em uma página vazia; os buscadores seguem depois, se seguirem.",
    ),
    how: text(
        "Redirect on the server; where you can't, use a meta refresh with delay 0.",
        "Redirecione no servidor; onde não for possível, use um meta refresh com atraso 0.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects#jslocation",
    rule: text(
        "Fails on a page with fewer than 50 words and no script file, where an inline script assigns a literal address other than the page's own to `location`, or hands it to `location.replace()` or `location.assign()`. An address that the script puts together is left alone, and so is a page that also has a refresh.",
        "Falha em uma página com menos de 50 palavras e nenhum arquivo de script, em que um script embutido atribui a `location` um endereço literal que não é o da própria página, ou o passa a `location.replace()` ou `location.assign()`. Um endereço montado pelo script fica de fora, assim como uma página que também tem um refresh.",
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
        let (delay, target) = parse_refresh(meta.content.as_deref()?)?;
        Some(Refresh { delay, target, place: html.element(meta.node)?.place(), in_page: true })
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
    let elsewhere = target.filter(|url| !same_page(url, own));
    let fix_target = if refresh.in_page { FixTarget::Head } else { FixTarget::Page };
    let found = match elsewhere {
        Some(url) => {
            const LEADS: Text = text(
                "After {delay} {delay|second|seconds} the page leads to {target}",
                "Depois de {delay} {delay|segundo|segundos} a página leva a {target}",
            );
            const AT_ONCE: Text = text("The page leads at once to {target}", "A página leva de imediato a {target}");
            const SERVER: Text = text(
                "Redirect {from} to {target} on the server with status 301, and drop the refresh.",
                "Redirecione {from} para {target} no servidor com o status 301, e tire o refresh.",
            );
            let values =
                [("delay", refresh.delay.into()), ("from", own.as_str().into()), ("target", url.as_str().into())];
            let message = if refresh.delay == 0 { AT_ONCE } else { LEADS };
            problem(message, &values, FixDraft::instruction(fix_target, SERVER, &values))
        }
        None if (1..=LONGEST_DELAY).contains(&refresh.delay) => {
            const RELOADS: Text = text(
                "The page loads itself anew every {delay} {delay|second|seconds}.",
                "A página se recarrega a cada {delay} {delay|segundo|segundos}.",
            );
            const DROP: Text = text(
                "Drop the refresh: load new data with a script, or offer a link that does it.",
                "Tire o refresh: carregue dados novos com um script, ou ofereça um link que faça isso.",
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
        "The page is empty but for a script that leads to {target}",
        "A página está vazia, a não ser por um script que leva a {target}",
    );
    const SERVER: Text = text(
        "Redirect {from} to {target} on the server with status 301.",
        "Redirecione {from} para {target} no servidor com o status 301.",
    );
    let values = [("from", facts.url()?.as_str().into()), ("target", found.url.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Page, SERVER, &values);
    problem(ONLY, &values, fix).on(html.element(found.node)).fail()
}
