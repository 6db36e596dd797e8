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
            "Follow each redirect of a chain: loops, long chains, temporary redirects where permanent ones belong, and https to http.",
            "Siga cada redirecionamento de uma cadeia: loops, cadeias longas, temporários no lugar de permanentes e de https para http.",
        ),
        lead: text(
            "Each redirect costs a round trip, and its status tells search engines which URL to keep. This tool follows the chain from the URL that you enter and shows the status and target of each redirect.",
            "Cada redirecionamento custa uma ida e volta, e o status dele diz aos buscadores qual URL manter. Esta ferramenta segue a cadeia a partir da URL informada e mostra o status e o destino de cada redirecionamento.",
        ),
        example: include_str!("redirects/bad_chain.http"),
    },
    checks: &[LOOP, DOWNGRADE, CHAIN_LONG, TEMPORARY, CROSS_SITE],
};

const LOOP: Check = Check {
    code: "redirect_loop",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Endless redirects", "Redirecionamentos sem fim"),
    why: text(
        "The URLs redirect in a loop, or more than ten times. Browsers and crawlers give up.",
        "As URLs redirecionam em loop, ou mais de dez vezes. Navegadores e robôs desistem.",
    ),
    how: text("Redirect the first URL straight to the page.", "Redirecione a primeira URL direto para a página."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails when a URL repeats in the chain, ignoring fragments, or after more than 10 redirects, as many as Googlebot follows. A site that sets a cookie and redirects to the same URL never ends for a client without cookies, so it fails too.",
        "Falha quando uma URL se repete na cadeia, sem contar fragmentos, ou depois de mais de 10 redirecionamentos, tantos quantos o Googlebot segue. Um site que grava um cookie e redireciona para a mesma URL nunca termina para um cliente sem cookies; por isso, também falha.",
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
        "A secure URL sends its visitors over a connection that others can read and change.",
        "Uma URL segura manda os visitantes por uma conexão que outros podem ler e alterar.",
    ),
    how: text("Redirect to the https form of the target.", "Redirecione para a forma https do destino."),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-7.2",
    rule: text(
        "Fails when any redirect leads from an https URL to an http one, even if a later redirect returns to https.",
        "Falha quando algum redirecionamento leva de uma URL https para uma http, mesmo que outro posterior volte ao https.",
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
    title: text("Long redirect chain", "Cadeia longa de redirecionamentos"),
    why: text(
        "Each redirect costs a round trip, which takes longest on phones, and crawlers may not follow a long chain to its end.",
        "Cada redirecionamento custa uma ida e volta, mais demorada em celulares, e os robôs podem não seguir uma cadeia longa até o fim.",
    ),
    how: text("Redirect every old URL straight to the final one.", "Redirecione cada URL antiga direto para a final."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
    rule: text(
        "Fails on 3 or more redirects before the final response. From http to https and then to www are two, which passes.",
        "Falha com 3 ou mais redirecionamentos antes da resposta final. De http para https e depois para www são dois, e passa.",
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
    title: text("Temporary redirect to the page's permanent URL", "Redirecionamento temporário para a URL definitiva"),
    why: text(
        "The redirect changes only the form of the URL, and permanently. With a temporary status, search engines may keep showing the old form.",
        "O redirecionamento só muda a forma da URL, e em definitivo. Com um status temporário, os buscadores podem continuar mostrando a forma antiga.",
    ),
    how: text("Answer with status 301 or 308.", "Responda com o status 301 ou 308."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects#serverside",
    rule: text(
        "Fails when a redirect with status 302, 303 or 307 leads to the same URL with only these changes: http becomes https, `www.` is added or removed, the slash at the end of the path is added or removed. Other temporary redirects, for example to a language or a login, may be intended and pass.",
        "Falha quando um redirecionamento com status 302, 303 ou 307 leva à mesma URL com apenas estas mudanças: http passa a https, o `www.` aparece ou some, a barra no fim do caminho aparece ou some. Outros redirecionamentos temporários, por exemplo para um idioma ou um login, podem ser intencionais e passam.",
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
    title: text("URL redirects to another site", "A URL redireciona para outro site"),
    why: text(
        "The audited page belongs to another domain. The findings and fixes are for that site, not for the one that you entered.",
        "A página auditada é de outro domínio. Os achados e as correções são daquele site, não do que você informou.",
    ),
    how: text(
        "If you meant the other site, audit its URL. Otherwise find out which rule redirects there.",
        "Se era o outro site que você queria, audite a URL dele. Caso contrário, descubra qual regra redireciona para lá.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
    rule: text(
        "Fails when the final URL has a different registrable domain, by the Public Suffix List, than the requested one. Redirects between hosts of one domain pass, also by way of another domain.",
        "Falha quando a URL final tem um domínio registrável, segundo a Public Suffix List, diferente do pedido. Redirecionamentos entre hosts de um mesmo domínio passam, mesmo que passem por outro domínio no meio.",
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
        "The redirects don't end; the crawler stopped after {count} {count|redirect|redirects}.",
        "Os redirecionamentos não terminam; o robô parou depois de {count} {count|redirecionamento|redirecionamentos}.",
    );
    const HOPS: Text = text(
        "Make this chain of redirects end at the page: {chain}",
        "Faça esta cadeia de redirecionamentos terminar na página: {chain}",
    );
    let chain = failure.hops.iter().map(|hop| hop.url.as_str()).collect::<Vec<_>>().join(" → ");
    let fix = FixDraft::instruction(FixTarget::Page, HOPS, &[("chain", chain.into())]);
    let places = failure.hops.iter().map(|hop| Place { url: Some(hop.url.clone()), ..Place::default() });
    problem(CIRCLE, &[("count", failure.hops.len().into())], fix).at(places).fail()
}

fn downgrade(facts: &Facts<'_>) -> Verdict {
    let bad = steps(facts)?.find(|(hop, to)| hop.url.starts_with("https:") && to.starts_with("http:"));
    let Some((hop, to)) = bad else { return PASS };
    const DOWN: Text = text(
        "{from} redirects to {to}, which is not encrypted.",
        "{from} redireciona para {to}, que não é criptografada.",
    );
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
    const CHAIN: Text =
        text("It takes {count} redirects to reach the page.", "São {count} redirecionamentos até chegar à página.");
    const ONE: Text = text("the first and last URL of the chain", "a primeira e a última URL da cadeia");
    let first = hops.first().map_or("", |hop| hop.url.as_str());
    const RULE: Text = text(
        "Replace the chain with one redirect in the server's configuration. Write `{{SERVER_RULE}}` as your server writes redirects: {rule}",
        "Substitua a cadeia por um só redirecionamento na configuração do servidor. Escreva `{{SERVER_RULE}}` como o seu servidor escreve redirecionamentos: {rule}",
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
        "{from} redirects to {to} with the temporary status {status}.",
        "{from} redireciona para {to} com o status temporário {status}.",
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
    const ELSEWHERE: Text =
        text("{from} redirects to another site, {to}.", "{from} redireciona para outro site, {to}.");
    const MEANT: Text = text(
        "If {from} should show its own page, remove the redirect to {to}.",
        "Se {from} deve mostrar uma página própria, remova o redirecionamento para {to}.",
    );
    let values = [("from", requested.as_str().into()), ("to", exchange.url.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Page, MEANT, &values);
    problem(ELSEWHERE, &values, fix).at(exchange.hops.iter().map(place)).fail()
}
