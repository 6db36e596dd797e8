//! Keys that stand in the page for everyone to read.

use crate::check::prelude::*;
use crate::facts::secrets;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "exposed-secrets", category: Category::Security, landing: LANDING, checks: &[EXPOSED] };

const LANDING: Landing = Landing {
    title: text("Exposed API key checker", "Verificador de chaves de API expostas"),
    h1: text("Does your page give away a secret key?", "Sua página entrega uma chave secreta?"),
    description: text(
        "Searches the source of a page for private keys and tokens that open something. The values are never shown.",
        "Procura no código de uma página chaves privadas e tokens que abrem algo. Os valores nunca são mostrados.",
    ),
    lead: text(
        "Bots read every public page for keys and use them within minutes. Keys made for browsers are fine there; the ones that open an account are not.",
        "Robôs leem todas as páginas públicas atrás de chaves e as usam em minutos. Chaves feitas para navegadores podem estar ali; as que abrem uma conta, não.",
    ),
    example: include_str!("secrets/bad.html"),
};

const EXPOSED: Check = Check {
    code: "secret_exposed",
    severity: Severity::Error,
    impact: Impact::Use,
    title: text("Secret key in the page", "Chave secreta na página"),
    why: text(
        "Anyone can take the key out of the source and act in your name. Search engines and archives keep copies of it.",
        "Qualquer um pode tirar a chave do código e agir em seu nome. Buscadores e arquivos guardam cópias dela.",
    ),
    how: text(
        "Revoke the key and make a new one first; then keep it on the server.",
        "Primeiro revogue a chave e crie outra; depois, mantenha-a no servidor.",
    ),
    reference: "https://cwe.mitre.org/data/definitions/798.html",
    rule: text(
        "Fails when the HTML or an inline script holds a key of a form from the table (Stripe secret keys, GitHub, GitLab, Slack, npm, PyPI and other tokens), a private key in PEM with its body, or an AWS key id with its secret within 300 bytes. Publishable keys are not in the table. Left alone are characters that look like a placeholder (few different ones, runs, the words of examples) and what stands in `code`, `pre` or `textarea`. Values are never repeated.",
        "Falha quando o HTML ou um script embutido contém uma chave de um formato da tabela (chaves secretas da Stripe, tokens do GitHub, GitLab, Slack, npm, PyPI e outros), uma chave privada em PEM com o conteúdo, ou um id de chave da AWS com o segredo a até 300 bytes. Chaves publicáveis não estão na tabela. Ficam de fora caracteres que parecem um exemplo (poucos diferentes, sequências, palavras típicas) e o que está em `code`, `pre` ou `textarea`. Os valores nunca são repetidos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: exposed,
};

/// Fails when the source holds a key that opens something.
fn exposed(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found = secrets::find(html.document.source());
    let Some(first) = found.first() else { return PASS };
    const EXPOSED_KEY: Text = text(
        "The source of the page holds {count} secret {count|key|keys}; the first is a {kind}.",
        "O código da página contém {count} {count|chave secreta|chaves secretas}; a primeira é do tipo {kind}.",
    );
    const ROTATE: Text = text(
        "Revoke it where it was issued before anything else: removing it from the page does not make it safe again. Then let your server make the calls that need it.",
        "Antes de tudo, revogue-a onde foi emitida: tirá-la da página não a torna segura de novo. Depois, deixe seu servidor fazer as chamadas que precisam dela.",
    );
    let place = |secret: &secrets::Secret| {
        let snippet = Some(format!("{} ({}…)", secret.kind, secret.shown));
        Place { snippet, ..html.document.place_of(secret.span.clone()) }
    };
    let values = [("count", found.len().into()), ("kind", first.kind.into())];
    let fix = FixDraft::instruction(FixTarget::Page, ROTATE, &[]);
    problem(EXPOSED_KEY, &values, fix).at(found.iter().map(place)).fail()
}
