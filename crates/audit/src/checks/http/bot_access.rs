//! Whether something stands between crawlers and the page: a challenge, or a price.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "bot-access",
    category: Category::Http,
    landing: Landing {
        title: text("Bot access and firewall test", "Teste de acesso de robôs e firewall"),
        h1: text("Does a firewall keep crawlers out of my page?", "Um firewall barra os robôs na minha página?"),
        description: text(
            "See whether Cloudflare, Akamai, DataDome or another firewall answers crawlers with a challenge, or a paywall with status 402.",
            "Veja se Cloudflare, Akamai, DataDome ou outro firewall responde aos robôs com um desafio, ou um paywall com o status 402.",
        ),
        lead: text(
            "A page that opens in your browser may show a challenge to everyone else. This tool asks as an honest crawler does, names the vendor that answered instead, and says what to allow.",
            "Uma página que abre no seu navegador pode mostrar um desafio a todos os outros. Esta ferramenta pergunta como um robô honesto, diz qual fornecedor respondeu no lugar e o que liberar.",
        ),
        example: include_str!("bot_access/bad_challenge.http"),
    },
    checks: &[CHALLENGE, PAYWALLED],
};

const CHALLENGE: Check = Check {
    code: "bot_challenge_detected",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("A firewall answered instead of the page", "Um firewall respondeu no lugar da página"),
    why: text(
        "Crawlers that are no browsers get the same: the page can't be indexed or quoted.",
        "Robôs que não são navegadores recebem o mesmo: a página não pode ser indexada nem citada.",
    ),
    how: text(
        "Let the crawlers you want through by their user agent and published addresses.",
        "Libere os robôs que você quer pelo user agent e pelos endereços publicados.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails when the answer bears the mark of a known bot protection: a header such as `cf-mitigated: challenge`, or, under the statuses listed for it, a cookie, a title or a body of at most 64 KiB with its marker. A plain 403 without a mark is a client error; a plain 429 is no finding. Every check of the page's content is then not measured.",
        "Falha quando a resposta traz a marca de uma proteção contra robôs conhecida: um cabeçalho como `cf-mitigated: challenge` ou, com os status previstos para ela, um cookie, um título ou um corpo de até 64 KiB com o marcador. Um 403 simples, sem marca, é erro de cliente; um 429 simples não é apontado. As verificações do conteúdo da página ficam então sem medição.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: challenge,
};

const PAYWALLED: Check = Check {
    code: "agent_access_paywalled",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Automated readers are asked to pay", "Leitores automáticos precisam pagar"),
    why: text(
        "Agents and crawlers without an agreement get status 402 instead of the page, and can neither read nor quote it.",
        "Agentes e robôs sem acordo recebem o status 402 no lugar da página e não podem lê-la nem citá-la.",
    ),
    how: text(
        "Keep it if charging is your policy; else exempt the crawlers that should read for free.",
        "Mantenha se cobrar é a sua política; se não, isente os robôs que devem ler de graça.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.3",
    rule: text(
        "Fails on a final status of 402, whatever protocol the payment follows. Whether people or other crawlers are asked to pay too can't be seen from here.",
        "Falha com o status final 402, seja qual for o protocolo do pagamento. Daqui não dá para ver se pessoas ou outros robôs também precisam pagar.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: paywalled,
};

fn challenge(facts: &Facts<'_>) -> Verdict {
    facts.any_response()?;
    let Some(blocked) = facts.blocked().filter(|blocked| !blocked.rate_limited) else { return PASS };
    const ANSWERED: Text = text(
        "{vendor} answered with a challenge (status {status}).",
        "{vendor} respondeu com um desafio (status {status}).",
    );
    const ALLOW: Text =
        text("Allow this service's user agent in {vendor}.", "Libere o user agent deste serviço em {vendor}.");
    let vendor = || Value::from(blocked.vendor.as_str());
    let fix = FixDraft::instruction(FixTarget::Page, ALLOW, &[("vendor", vendor())]);
    problem(ANSWERED, &[("vendor", vendor()), ("status", blocked.status.into())], fix).fail()
}

fn paywalled(facts: &Facts<'_>) -> Verdict {
    /// Headers that name a price or a way to pay: Cloudflare's pay per crawl and x402, most telling first.
    const OFFERS: [&str; 4] = ["crawler-price", "payment-required", "x-payment-required", "www-authenticate"];
    let exchange = facts.response()?;
    if exchange.status != 402 {
        return PASS;
    }
    const PAY: Text = text("{url} answers 402 Payment Required.", "{url} responde 402 Payment Required.");
    const POLICY: Text = text(
        "If {url} should be read for free, exempt the crawlers you want from payment; else nothing is to be done.",
        "Se {url} deve ser lida de graça, isente do pagamento os robôs que você quer; se não, nada há a fazer.",
    );
    let values = [("url", exchange.url.as_str().into())];
    let offer = OFFERS.iter().find_map(|name| Some((name, exchange.header(name)?)));
    let place = offer.map(|(name, value)| Place { snippet: Some(format!("{name}: {value}")), ..Place::default() });
    problem(PAY, &values, FixDraft::instruction(FixTarget::Page, POLICY, &values)).at(place).fail()
}
