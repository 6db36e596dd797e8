//! Well-known files in whose place a page answers.

use crate::check::prelude::*;
use crate::facts::discovery::masked;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "well-known-files", category: Category::Agents, landing: LANDING, checks: &[MASKED] };

const LANDING: Landing = Landing {
    title: text("Well-known files checker", "Verificador de arquivos well-known"),
    h1: text("Do your /.well-known/ files tell the truth?", "Seus arquivos em /.well-known/ dizem a verdade?"),
    description: text(
        "Asks for security.txt, api-catalog and other well-known files, and tells where an app answers with its page.",
        "Pede security.txt, api-catalog e outros arquivos well-known e diz onde um aplicativo responde com sua página.",
    ),
    lead: text(
        "Agents, scanners and phones ask for files at fixed addresses and believe the status. An app that answers each of them with its page says that it has what it has not.",
        "Agentes, scanners e celulares pedem arquivos em endereços fixos e acreditam no status. Um aplicativo que responde a todos com sua página afirma ter o que não tem.",
    ),
    example: include_str!("well_known/bad.http"),
};

const MASKED: Check = Check {
    code: "discovery_file_masked",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text(
        "A page answers in place of a well-known file",
        "Uma página responde no lugar de um arquivo well-known",
    ),
    why: text(
        "Who asks for the file takes the 200 for a yes and then fails at the content.",
        "Quem pede o arquivo toma o 200 por um sim e depois falha no conteúdo.",
    ),
    how: text(
        "Let the app answer 404 below `/.well-known/` for what does not exist there.",
        "Faça o aplicativo responder 404 em `/.well-known/` para o que não existe ali.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8615#section-3",
    rule: text(
        "Fails when one of the well-known files that were asked for (security.txt, api-catalog, agent-card.json, OAuth, OpenID, app and passkey files) answers 2xx with HTML, on a site that answers a random address as missing. Where random addresses answer 2xx too, that is `soft_404_missing_path`.",
        "Falha quando um dos arquivos well-known pedidos (security.txt, api-catalog, agent-card.json, arquivos de OAuth, OpenID, aplicativos e passkeys) responde 2xx com HTML, em um site que responde a um endereço aleatório como inexistente. Quando endereços aleatórios também respondem 2xx, isso é `soft_404_missing_path`.",
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
        "{count} well-known {count|file answers|files answer} with an HTML page; the first is {url}.",
        "{count} {count|arquivo well-known responde|arquivos well-known respondem} com uma página HTML; o primeiro é {url}.",
    );
    const EXCLUDE: Text = text(
        "Leave /.well-known/ out of the rule that sends every address to the app, and answer 404 there.",
        "Deixe /.well-known/ fora da regra que envia todo endereço ao aplicativo e responda 404 ali.",
    );
    let values = [("count", found.len().into()), ("url", first.as_str().into())];
    let place = |url: &String| Place { url: Some(url.clone()), ..Place::default() };
    problem(PAGE, &values, FixDraft::instruction(FixTarget::File, EXCLUDE, &[])).at(found.iter().map(place)).fail()
}
