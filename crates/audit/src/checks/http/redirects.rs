//! The way to the page.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "redirects", category: Category::Http, checks: &[DOWNGRADE, CHAIN_LONG] };

const CHAIN_LONG: Check = Check {
    code: "redirect_chain_long",
    severity: Severity::Warn,
    title: text("Long chain of redirects", "Cadeia longa de redirecionamentos"),
    why: text(
        "Each hop costs a round trip, more on phones, and crawlers follow only some of them at once.",
        "Cada salto custa uma ida e volta, mais ainda em celulares, e os robôs só seguem alguns de cada vez.",
    ),
    how: text(
        "Redirect every old address straight to the final one.",
        "Redirecione cada endereço antigo direto para o final.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    run: chain_long,
};

const DOWNGRADE: Check = Check {
    code: "https_downgrade_redirect",
    severity: Severity::Error,
    title: text("Redirect from https to http", "Redirecionamento de https para http"),
    why: text(
        "A secure address sends its visitors over a line that anyone can read and change.",
        "Um endereço seguro manda os visitantes por uma linha que qualquer um pode ler e alterar.",
    ),
    how: text("Let the hop lead to the https form of its target.", "Faça o salto levar à forma https do destino."),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-7.2",
    run: downgrade,
};

/// Hops from which a chain is long: http to https to www is two, and common.
const LONG: usize = 3;

/// Fails at three or more hops before the final response.
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
    let places = hops.iter().map(|hop| Place {
        url: Some(hop.url.clone()),
        snippet: Some(format!("{} Location: {}", hop.status, hop.location)),
        ..Place::default()
    });
    Ok(Some(problem(CHAIN, &[("count", hops.len().into())], fix).at(places)))
}

/// Fails when a hop goes from https to http.
fn downgrade(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.any_response()?;
    let targets = exchange.hops.iter().skip(1).map(|hop| hop.url.as_str()).chain([exchange.url.as_str()]);
    let bad =
        exchange.hops.iter().zip(targets).find(|(hop, to)| hop.url.starts_with("https:") && to.starts_with("http:"));
    let Some((hop, to)) = bad else { return PASS };
    const DOWN: Text =
        text("{from} redirects to {to}, without encryption.", "{from} redireciona para {to}, sem criptografia.");
    const SECURE: Text =
        text("Redirect {from} to the https form of {to}.", "Redirecione {from} para a forma https de {to}.");
    let values = [("from", hop.url.as_str().into()), ("to", to.into())];
    fail(DOWN, &values, FixDraft::instruction(FixTarget::Page, SECURE, &values))
}
