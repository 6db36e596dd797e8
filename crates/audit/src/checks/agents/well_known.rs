//! Well-known files in whose place a page answers.

use crate::check::prelude::*;
use crate::facts::discovery::masked;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "well-known-files", category: Category::Agents, landing: LANDING, checks: &[MASKED] };

const LANDING: Landing = Landing {
    title: text("Well-known files checker", "Verificador de arquivos well-known"),
    h1: text("Does your app mask /.well-known/ files?", "Seu aplicativo mascara os arquivos em /.well-known/?"),
    description: text(
        "Requests security.txt, api-catalog and other well-known files, and finds those that an app answers with its HTML page.",
        "Pede security.txt, api-catalog e outros arquivos well-known e encontra os que um aplicativo responde com sua página HTML.",
    ),
    lead: text(
        "Agents, scanners and phones request files at fixed addresses and trust the status code. An app that answers all of them with its page claims to have files that don't exist.",
        "Agentes, scanners e celulares pedem arquivos em endereços fixos e confiam no status. Um aplicativo que responde a todos com sua página afirma ter arquivos que não existem.",
    ),
    example: include_str!("well_known/bad.http"),
};

const MASKED: Check = Check {
    code: "discovery_file_masked",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("HTML page served for a well-known file", "Página HTML no lugar de um arquivo well-known"),
    why: text(
        "Programs take the status 200 as proof that the file exists, and then fail to parse the HTML.",
        "Programas entendem o status 200 como prova de que o arquivo existe e depois falham ao ler o HTML.",
    ),
    how: text(
        "Make the app answer 404 for files below `/.well-known/` that don't exist.",
        "Faça o aplicativo responder 404 para arquivos em `/.well-known/` que não existem.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8615#section-3",
    rule: text(
        "Fails when a requested well-known file (security.txt, api-catalog, agent-card.json, OAuth, OpenID, app and passkey files) answers 2xx with HTML, on a site that answers a random URL as missing. When random URLs answer 2xx too, `soft_404_missing_path` reports it.",
        "Falha quando um arquivo well-known pedido (security.txt, api-catalog, agent-card.json, arquivos de OAuth, OpenID, aplicativos e passkeys) responde 2xx com HTML, em um site que responde a uma URL aleatória como inexistente. Quando URLs aleatórias também respondem 2xx, quem relata é `soft_404_missing_path`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: masked_files,
};

/// Fails when a well-known file answers with HTML.
fn masked_files(facts: &Facts<'_>) -> Verdict {
    let found = masked::addresses(&facts.site()?)?;
    let Some(first) = found.first() else { return PASS };
    const PAGE: Text = text(
        "{count|A well-known file answers with an HTML page: {url}|{count} well-known files answer with an HTML page; the first is {url}}.",
        "{count|Um arquivo well-known responde com uma página HTML: {url}|{count} arquivos well-known respondem com uma página HTML; o primeiro é {url}}.",
    );
    const EXCLUDE: Text = text(
        "Exclude /.well-known/ from the rule that sends every URL to the app, and answer 404 there.",
        "Exclua /.well-known/ da regra que envia toda URL ao aplicativo e responda 404 ali.",
    );
    let values = [("count", found.len().into()), ("url", first.as_str().into())];
    let place = |url: &String| Place { url: Some(url.clone()), ..Place::default() };
    problem(PAGE, &values, FixDraft::instruction(FixTarget::File, EXCLUDE, &[])).at(found.iter().map(place)).fail()
}
