//! Files of public networks that are run without a look at what they hold.

use std::sync::LazyLock;

use crate::check::prelude::*;
use crate::facts::page::Html;
use crate::facts::word_set::WordSet;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "subresource-integrity", category: Category::Security, landing: LANDING, checks: &[MISSING] };

const LANDING: Landing = Landing {
    title: text("Subresource Integrity (SRI) checker", "Verificador de Subresource Integrity (SRI)"),
    h1: text("Which CDN files on your page run unchecked?", "Que arquivos de CDN da sua página rodam sem verificação?"),
    description: text(
        "List scripts and styles with a fixed version that a page loads from public CDNs without an integrity hash.",
        "Liste scripts e estilos com versão fixa que uma página carrega de CDNs públicas sem um hash de integridade.",
    ),
    lead: text(
        "A script from a public CDN can do anything on your page. With an integrity hash, the browser runs it only if it is exactly the file you chose.",
        "Um script de uma CDN pública pode fazer qualquer coisa na sua página. Com um hash de integridade, o navegador só o executa se for exatamente o arquivo que você escolheu.",
    ),
    example: include_str!("subresource_integrity/bad.html"),
};

/// Hosts of files that never change, with source and date in the file.
static HOSTS: LazyLock<WordSet> = LazyLock::new(|| WordSet::of_lines(include_str!("../../data/public_cdns.txt")));

const MISSING: Check = Check {
    code: "sri_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("CDN files without an integrity hash", "Arquivos de CDN sem hash de integridade"),
    why: text(
        "An attacker who takes over the CDN or the package can run code on this page. An integrity hash pins the file.",
        "Quem invadir a CDN ou o pacote pode executar código nesta página. Um hash de integridade fixa o arquivo.",
    ),
    how: text(
        "Add `integrity` with the hash of the file and `crossorigin=\"anonymous\"`, or host the file yourself.",
        "Adicione `integrity` com o hash do arquivo e `crossorigin=\"anonymous\"`, ou hospede o arquivo você mesmo.",
    ),
    reference: "https://www.w3.org/TR/sri-2/#the-integrity-attribute",
    rule: text(
        "Fails when a `script` or style sheet without `integrity` comes from a public package CDN (listed in a table) and its URL contains an exact version, so that the file never changes. Files that their hosts update, such as analytics, tags and fonts, can't be pinned and don't count.",
        "Falha quando um `script` ou folha de estilo sem `integrity` vem de uma CDN pública de pacotes (listada em uma tabela) e a URL contém uma versão exata, de modo que o arquivo nunca muda. Arquivos que os hosts atualizam, como análise, tags e fontes, não podem ser fixados e não contam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: missing,
};

/// Whether an address names one exact file of a public network: its host is listed, and its path has a whole version.
fn is_fixed(url: &url::Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some_and(|host| HOSTS.contains(host))
        && url.path().split(['/', '@', '-', '_']).any(is_exact_version)
}

/// `1.2.3`, `3.7.1.min.js`: three numbers, as a release has (Semantic Versioning 2.0 §2).
fn is_exact_version(part: &str) -> bool {
    let mut numbers = part.strip_prefix('v').unwrap_or(part).split('.');
    (0..3).all(|_| numbers.next().is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())))
}

fn unpinned(html: &Html) -> impl Iterator<Item = Element<'_>> {
    let scripts = html.elements(&html.scripts).map(|script| (script, "src"));
    let sheets = html.links_rel("stylesheet").filter_map(|link| Some((html.element(link.node)?, "href")));
    scripts.chain(sheets).filter_map(|(element, name)| {
        // Only an address with a host of its own can be another's.
        let href = element.attribute(name).filter(|href| href.contains("//") && !element.has("integrity"))?;
        let may_be_fixed = html.plain_target(href).is_none_or(|target| HOSTS.contains(target.host));
        (may_be_fixed && html.resolve(href).is_some_and(|url| is_fixed(&url))).then_some(element)
    })
}

/// Fails when a fixed file of a public network has no hash.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found: Vec<Element<'_>> = unpinned(html).collect();
    let Some(first) = found.first() else { return PASS };
    const UNPINNED: Text = text(
        "{count|A file from a public CDN is|{count} files from public CDNs are} loaded without an integrity hash{count|: {url}|; the first is {url}}.",
        "{count|Um arquivo de uma CDN pública é carregado|{count} arquivos de CDNs públicas são carregados} sem hash de integridade{count|: {url}|; o primeiro é {url}}.",
    );
    const HASH: Text = text(
        "Copy the hash from the package's page on the CDN, or compute it: openssl dgst -sha384 -binary FILE | openssl base64 -A",
        "Copie o hash da página do pacote na CDN ou calcule-o: openssl dgst -sha384 -binary ARQUIVO | openssl base64 -A",
    );
    let address = first.attribute("src").or_else(|| first.attribute("href")).unwrap_or_default();
    let pinned = |element: &Element<'_>| {
        let tag = element.start_tag_source()?.trim_end_matches('>').trim_end().trim_end_matches('/').trim_end();
        let cross = if element.has("crossorigin") { "" } else { " crossorigin=\"anonymous\"" };
        let end = if element.is("script") { "></script>" } else { ">" };
        Some(format!("{tag} integrity=\"sha384-{{{{HASH}}}}\"{cross}{end}"))
    };
    let snippet: Vec<String> = found.iter().take(crate::check::MAX_PLACES).filter_map(pinned).collect();
    let fix = FixDraft::template(FixTarget::Head, snippet.join("\n")).note(HASH, &[]);
    let values = [("count", found.len().into()), ("url", address.into())];
    problem(UNPINNED, &values, fix).on(&found).fail()
}
