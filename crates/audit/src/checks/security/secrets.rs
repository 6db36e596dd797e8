//! Keys that stand in the page for everyone to read.

use crate::check::prelude::*;
use crate::facts::secrets;
use crate::facts::source_marks::SourceMark;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "exposed-secrets", category: Category::Security, landing: LANDING, checks: &[EXPOSED] };

const LANDING: Landing = Landing {
    title: text("Exposed API key checker", "Verificador de chaves de API expostas"),
    h1: text("Does your page expose a secret key?", "Sua página expõe uma chave secreta?"),
    description: text(
        "Search the source code of a page for private keys and secret tokens. The values are never shown.",
        "Procure chaves privadas e tokens secretos no código-fonte de uma página. Os valores nunca são mostrados.",
    ),
    lead: text(
        "Bots search public pages for keys and use them within minutes. Keys made for browsers are safe there; keys that give access to an account are not.",
        "Robôs procuram chaves em páginas públicas e as usam em minutos. Chaves feitas para navegadores podem ficar ali; as que dão acesso a uma conta, não.",
    ),
    example: include_str!("secrets/bad.html"),
};

const EXPOSED: Check = Check {
    code: "secret_exposed",
    severity: Severity::Error,
    impact: Impact::Use,
    title: text("Secret key in the source code", "Chave secreta no código-fonte"),
    why: text(
        "Anyone can read the key in the source code and act in your name. Search engines and archives keep copies of it.",
        "Qualquer um pode ler a chave no código-fonte e agir em seu nome. Buscadores e arquivos da web guardam cópias dela.",
    ),
    how: text(
        "Revoke the key and create a new one first. Then keep the new key on the server.",
        "Primeiro revogue a chave e crie outra. Depois, mantenha a nova chave no servidor.",
    ),
    reference: "https://cwe.mitre.org/data/definitions/798.html",
    rule: text(
        "Fails when the HTML or an inline script contains a key in a format of the table (Stripe secret keys, tokens of GitHub, GitLab, Slack, npm, PyPI and others), a PEM private key with its body, or an AWS key id with its secret within 300 bytes. Publishable keys are not in the table. The check skips text that looks like a placeholder (few different characters, sequences, typical example words) and the content of `code`, `pre` and `textarea`. Values are never repeated.",
        "Falha quando o HTML ou um script embutido contém uma chave em um formato da tabela (chaves secretas da Stripe, tokens do GitHub, GitLab, Slack, npm, PyPI e outros), uma chave privada PEM com o conteúdo, ou um id de chave da AWS com o segredo a até 300 bytes. Chaves publicáveis não estão na tabela. A verificação ignora textos que parecem um exemplo (poucos caracteres diferentes, sequências, palavras típicas) e o conteúdo de `code`, `pre` e `textarea`. Os valores nunca são repetidos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: exposed,
};

/// Fails when the source holds a key that opens something.
fn exposed(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.lacks(SourceMark::SecretStart) {
        return PASS;
    }
    let found = secrets::find(html.document.source());
    let Some(first) = found.first() else { return PASS };
    const EXPOSED_KEY: Text = text(
        "The page's source code contains {count|a secret key ({kind})|{count} secret keys (the first: {kind})}.",
        "O código-fonte da página contém {count|uma chave secreta ({kind})|{count} chaves secretas (a primeira: {kind})}.",
    );
    const ROTATE: Text = text(
        "Revoke the key first: removing it from the page doesn't make it safe again. Then let your server make the calls that need a key.",
        "Primeiro revogue a chave: tirá-la da página não a torna segura de novo. Depois, deixe seu servidor fazer as chamadas que precisam de uma chave.",
    );
    let place = |secret: &secrets::Secret| {
        let snippet = Some(format!("{} ({}…)", secret.kind, secret.shown));
        Place { snippet, ..html.document.place_of(secret.span.clone()) }
    };
    let values = [("count", found.len().into()), ("kind", first.kind.into())];
    let fix = FixDraft::instruction(FixTarget::Page, ROTATE, &[]);
    problem(EXPOSED_KEY, &values, fix).at(found.iter().map(place)).fail()
}
