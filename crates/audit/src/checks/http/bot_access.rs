//! Whether something stands between crawlers and the page: a challenge, or a price.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "bot-access",
    category: Category::Http,
    landing: Landing {
        title: text("Bot access and firewall test", "Teste de acesso de robôs e firewall"),
        h1: text("Does a firewall block crawlers on my page?", "Um firewall bloqueia os robôs na minha página?"),
        description: text(
            "See whether Cloudflare, Akamai, DataDome or another firewall answers crawlers with a challenge, or a paywall answers with status 402.",
            "Veja se Cloudflare, Akamai, DataDome ou outro firewall responde aos robôs com um desafio, ou se um paywall responde com o status 402.",
        ),
        lead: text(
            "A page that opens in your browser may show a challenge to everyone else. This tool requests it as a crawler that identifies itself, names the firewall that answered, and says what to allow.",
            "Uma página que abre no seu navegador pode mostrar um desafio a todos os outros. Esta ferramenta a pede como um robô que se identifica, diz qual firewall respondeu e o que liberar.",
        ),
        example: include_str!("bot_access/bad_challenge.http"),
    },
    checks: &[CHALLENGE, PAYWALLED],
};

const CHALLENGE: Check = Check {
    code: "bot_challenge_detected",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Firewall challenge instead of the page", "Desafio de firewall no lugar da página"),
    why: text(
        "Other crawlers get the same challenge, so the page can't be indexed or cited.",
        "Outros robôs recebem o mesmo desafio, e a página não pode ser indexada nem citada.",
    ),
    how: text(
        "Allow the crawlers that you want by their user agent and their published IP addresses.",
        "Libere os robôs que você quer pelo user agent e pelos endereços IP publicados.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails when the response carries the mark of a known bot protection: a header such as `cf-mitigated: challenge`, or, with a status listed for that vendor, its cookie, its title, or its marker in a body of at most 64 KB. A plain 403 is reported as a client error, and a plain 429 is not reported. All checks of the page's content are then not measured.",
        "Falha quando a resposta traz a marca de uma proteção contra robôs conhecida: um cabeçalho como `cf-mitigated: challenge` ou, com um status previsto para esse fornecedor, seu cookie, seu título ou seu marcador em um corpo de até 64 KB. Um 403 simples é relatado como erro de cliente, e um 429 simples não é relatado. Nenhuma verificação do conteúdo da página é medida nesse caso.",
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
    title: text("Crawlers are asked to pay", "Robôs precisam pagar"),
    why: text(
        "Agents and crawlers without an agreement get status 402 instead of the page and can neither read nor cite it.",
        "Agentes e robôs sem acordo recebem o status 402 no lugar da página e não podem lê-la nem citá-la.",
    ),
    how: text(
        "Keep it if charging is your policy. Otherwise exempt the crawlers that should read for free.",
        "Mantenha assim se cobrar é a sua política. Caso contrário, isente os robôs que devem ler de graça.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.3",
    rule: text(
        "Fails on a final status of 402, whatever the payment protocol. Whether people or other crawlers also have to pay can't be seen from this request.",
        "Falha com o status final 402, seja qual for o protocolo de pagamento. Esta requisição não mostra se pessoas ou outros robôs também precisam pagar.",
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
        "{vendor} answered with a bot challenge (status {status}) instead of the page.",
        "{vendor} respondeu com um desafio contra robôs (status {status}) no lugar da página.",
    );
    const ALLOW: Text = text(
        "Allow this service's user agent in {vendor}, then audit again.",
        "Libere o user agent deste serviço em {vendor} e audite de novo.",
    );
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
    const PAY: Text = text(
        "{url} answers 402 Payment Required instead of the page.",
        "{url} responde 402 Payment Required no lugar da página.",
    );
    const POLICY: Text = text(
        "If crawlers should read {url} for free, exempt them from payment. Otherwise there is nothing to do.",
        "Se os robôs devem ler {url} de graça, isente-os do pagamento. Caso contrário, não há nada a fazer.",
    );
    let values = [("url", exchange.url.as_str().into())];
    let offer = OFFERS.iter().find_map(|name| Some((name, exchange.header(name)?)));
    let place = offer.map(|(name, value)| Place { snippet: Some(format!("{name}: {value}")), ..Place::default() });
    problem(PAY, &values, FixDraft::instruction(FixTarget::Page, POLICY, &values)).at(place).fail()
}
