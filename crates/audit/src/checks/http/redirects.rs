//! The way to the page: redirects of the server.

use model::capture::{Fetched, Hop};
use url::Url;

use crate::check::prelude::*;
use crate::facts::redirects::is_endless;
use crate::facts::url_identity::same_site;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "redirects",
    category: Category::Http,
    landing: Landing {
        title: text("Redirect checker", "Verificador de redirecionamentos"),
        h1: text("Where does my URL redirect to, and how?", "Para onde e como minha URL redireciona?"),
        description: text(
            "Follow every hop of a redirect chain: loops, long chains, temporary redirects where permanent ones belong, and https to http.",
            "Siga cada salto de uma cadeia de redirecionamentos: laços, cadeias longas, temporários no lugar de permanentes e https para http.",
        ),
        lead: text(
            "Each redirect costs a round trip, and its status tells search engines which address to keep. This tool follows the chain from the address you enter and shows each hop with its status and target.",
            "Cada redirecionamento custa uma ida e volta, e o status dele diz aos buscadores qual endereço manter. Esta ferramenta segue a cadeia a partir do endereço informado e mostra cada salto com status e destino.",
        ),
        example: include_str!("redirects/bad_chain.http"),
    },
    checks: &[LOOP, DOWNGRADE, CHAIN_LONG, TEMPORARY, CROSS_SITE],
};

const LOOP: Check = Check {
    code: "redirect_loop",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Redirects never end", "Redirecionamentos sem fim"),
    why: text(
        "The addresses redirect in a circle, or more than ten times. Browsers and crawlers give up.",
        "Os endereços redirecionam em círculo, ou mais de dez vezes. Navegadores e robôs desistem.",
    ),
    how: text(
        "Let the first address redirect straight to the page.",
        "Faça o primeiro endereço redirecionar direto para a página.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails when an address repeats in the chain, fragments left out, or after more than 10 hops, as many as Googlebot follows. A site that redirects once to set a cookie, and again to the same address, never ends for a client without cookies, and fails too.",
        "Falha quando um endereço se repete na cadeia, sem contar fragmentos, ou depois de mais de 10 saltos, tantos quantos o Googlebot segue. Um site que redireciona para gravar um cookie e volta ao mesmo endereço nunca termina para um cliente sem cookies, e também falha.",
    ),
    thresholds: &[threshold("most_hops", MOST_HOPS, "hops")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: endless,
};

const DOWNGRADE: Check = Check {
    code: "https_downgrade_redirect",
    severity: Severity::Error,
    impact: Impact::Use,
    title: text("Redirect from https to http", "Redirecionamento de https para http"),
    why: text(
        "A secure address sends its visitors over a line that anyone can read and change.",
        "Um endereço seguro manda os visitantes por uma linha que qualquer um pode ler e alterar.",
    ),
    how: text("Let the hop lead to the https form of its target.", "Faça o salto levar à forma https do destino."),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-7.2",
    rule: text(
        "Fails when any hop goes from an https address to an http one, even where a later hop comes back to https.",
        "Falha quando algum salto vai de um endereço https para um http, mesmo que um salto posterior volte ao https.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: downgrade,
};

const CHAIN_LONG: Check = Check {
    code: "redirect_chain_long",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Long chain of redirects", "Cadeia longa de redirecionamentos"),
    why: text(
        "Each hop costs a round trip, more on phones, and crawlers follow only some of them at once.",
        "Cada salto custa uma ida e volta, mais ainda em celulares, e os robôs só seguem alguns de cada vez.",
    ),
    how: text(
        "Redirect every old address straight to the final one.",
        "Redirecione cada endereço antigo direto para o final.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
    rule: text(
        "Fails at 3 or more hops before the final response. From http to https to www is two, and passes.",
        "Falha com 3 ou mais saltos antes da resposta final. De http para https e daí para www são dois, e passa.",
    ),
    thresholds: &[threshold("fewest_hops", LONG as u64, "hops")],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: FIRST,
    run: chain_long,
};

const TEMPORARY: Check = Check {
    code: "redirect_temporary",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text(
        "Temporary redirect to the page's own address",
        "Redirecionamento temporário para o endereço definitivo",
    ),
    why: text(
        "The address only changes its form, for good; a temporary status lets search engines keep showing the old form.",
        "O endereço só muda de forma, e para sempre; um status temporário deixa os buscadores continuarem mostrando a forma antiga.",
    ),
    how: text("Answer with status 301 or 308.", "Responda com o status 301 ou 308."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects#serverside",
    rule: text(
        "Fails when a hop with status 302, 303 or 307 leads to the same address but for its scheme becoming https, a `www.` at the start of the host, or the slash at the end of the path. Every other temporary redirect, to a language or a login for one, may be meant so.",
        "Falha quando um salto com status 302, 303 ou 307 leva ao mesmo endereço, a não ser pelo esquema que passa a https, por um `www.` no início do host ou pela barra no fim do caminho. Qualquer outro redirecionamento temporário, para um idioma ou um login por exemplo, pode ser intencional.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: temporary,
};

const CROSS_SITE: Check = Check {
    code: "redirect_cross_site",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("The address leads to another site", "O endereço leva a outro site"),
    why: text(
        "What was audited is a page of another domain: findings and fixes concern that site, not the one you asked for.",
        "O que foi auditado é uma página de outro domínio: os achados e as correções são daquele site, não do que você informou.",
    ),
    how: text(
        "Audit the final address if that is the site you mean; else look into who redirects there.",
        "Audite o endereço final se é esse o site que você quer; se não, procure quem redireciona para lá.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
    rule: text(
        "Fails when the final address has another registrable domain, by the public suffix list, than the one asked for. Hops between hosts of one domain pass, whatever lies between.",
        "Falha quando o endereço final tem outro domínio registrável, segundo a lista de sufixos públicos, que o pedido. Saltos entre hosts de um mesmo domínio passam, haja o que houver no meio.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: cross_site,
};

/// Hops that are followed: Googlebot's own ceiling, and the fetcher's.
const MOST_HOPS: u64 = 10;
/// Hops from which a chain is long: http to https to www is two, and common.
const LONG: usize = 3;

/// Hops with the address each leads to.
fn steps<'f>(facts: &'f Facts<'_>) -> Result<impl Iterator<Item = (&'f Hop, &'f str)>, NotMeasured> {
    let exchange = facts.any_response()?;
    let targets = exchange.hops.iter().skip(1).map(|hop| hop.url.as_str()).chain([exchange.url.as_str()]);
    Ok(exchange.hops.iter().zip(targets))
}

fn place(hop: &Hop) -> Place {
    Place {
        url: Some(hop.url.clone()),
        snippet: Some(format!("{} Location: {}", hop.status, hop.location)),
        ..Place::default()
    }
}

fn endless(facts: &Facts<'_>) -> Verdict {
    let Fetched::Failed(failure) = &facts.capture.page else { return PASS };
    if !is_endless(failure) {
        return Err(NotMeasured::Fetch);
    }
    const CIRCLE: Text = text(
        "The redirects don't end after {count} hops.",
        "Os redirecionamentos não terminam depois de {count} saltos.",
    );
    const HOPS: Text = text("The chain: {chain}", "A cadeia: {chain}");
    let chain = failure.hops.iter().map(|hop| hop.url.as_str()).collect::<Vec<_>>().join(" → ");
    let fix = FixDraft::instruction(FixTarget::Page, HOPS, &[("chain", chain.into())]);
    let places = failure.hops.iter().map(|hop| Place { url: Some(hop.url.clone()), ..Place::default() });
    problem(CIRCLE, &[("count", failure.hops.len().into())], fix).at(places).fail()
}

fn downgrade(facts: &Facts<'_>) -> Verdict {
    let bad = steps(facts)?.find(|(hop, to)| hop.url.starts_with("https:") && to.starts_with("http:"));
    let Some((hop, to)) = bad else { return PASS };
    const DOWN: Text =
        text("{from} redirects to {to}, without encryption.", "{from} redireciona para {to}, sem criptografia.");
    const SECURE: Text =
        text("Redirect {from} to the https form of {to}.", "Redirecione {from} para a forma https de {to}.");
    let values = [("from", hop.url.as_str().into()), ("to", to.into())];
    problem(DOWN, &values, FixDraft::instruction(FixTarget::Page, SECURE, &values)).fail()
}

fn chain_long(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.any_response()?;
    let hops = &exchange.hops;
    if hops.len() < LONG {
        return PASS;
    }
    const CHAIN: Text = text("{count} redirects lead to the page.", "{count} redirecionamentos levam à página.");
    const ONE: Text = text("First and last address of the chain.", "Primeiro e último endereço da cadeia.");
    let first = hops.first().map_or("", |hop| hop.url.as_str());
    const RULE: Text = text(
        "Put one rule in the server's configuration in place of the chain: {rule}",
        "Ponha uma única regra na configuração do servidor no lugar da cadeia: {rule}",
    );
    let rule = format!("{{{{SERVER_RULE}}}} {first} → {}", exchange.url);
    let fix = FixDraft::server_rule(RULE, &[("rule", rule.into())]).from(ONE, &[]);
    problem(CHAIN, &[("count", hops.len().into())], fix).at(hops.iter().map(place)).fail()
}

/// An address without what a site settles once for all (scheme, `www.`, a slash at the end): host, port, path, query.
fn settled(url: &str) -> Option<(String, Option<u16>, String, Option<String>)> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
    Some((host, url.port(), url.path().trim_end_matches('/').to_owned(), url.query().map(str::to_owned)))
}

fn temporary(facts: &Facts<'_>) -> Verdict {
    if facts.any_response()?.hops.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_bad = |hop: &Hop, to: &str| {
        let is_form = settled(&hop.url).is_some_and(|from| Some(from) == settled(to));
        // Down to http is told by its own check, and to the very same address is a cookie's doing.
        matches!(hop.status, 302 | 303 | 307) && is_form && !(hop.url.starts_with("https:") && to.starts_with("http:"))
    };
    let bad: Vec<(&Hop, &str)> = steps(facts)?.filter(|(hop, to)| is_bad(hop, to)).collect();
    let Some((hop, to)) = bad.first() else { return PASS };
    const SHORT: Text = text(
        "{from} leads to {to} with status {status}, which is temporary.",
        "{from} leva a {to} com o status {status}, que é temporário.",
    );
    const LASTING: Text = text(
        "Redirect {from} to {to} with status 301 or 308.",
        "Redirecione {from} para {to} com o status 301 ou 308.",
    );
    let values = [("from", hop.url.as_str().into()), ("to", (*to).into()), ("status", hop.status.into())];
    let fix = FixDraft::instruction(FixTarget::Page, LASTING, &values);
    problem(SHORT, &values, fix).at(bad.iter().map(|(hop, _)| place(hop))).fail()
}

fn cross_site(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.any_response()?;
    if exchange.hops.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let requested = Url::parse(&facts.capture.requested_url).map_err(|_| NotMeasured::Absent)?;
    if same_site(&requested, facts.url()?) {
        return PASS;
    }
    const ELSEWHERE: Text = text("{from} leads to another site, {to}.", "{from} leva a outro site, {to}.");
    const MEANT: Text = text(
        "If {from} should show a page of its own, stop redirecting it to {to}.",
        "Se {from} deve mostrar uma página própria, deixe de redirecioná-la para {to}.",
    );
    let values = [("from", requested.as_str().into()), ("to", exchange.url.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Page, MEANT, &values);
    problem(ELSEWHERE, &values, fix).at(exchange.hops.iter().map(place)).fail()
}
