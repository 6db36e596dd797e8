//! The name under which a site appears in results.

use crate::check::prelude::*;
use crate::facts::new_nodes;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "site-name",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Site name checker for Google results", "Verificador do nome do site no Google"),
        h1: text("Which name does Google show for your site?", "Que nome o Google mostra para o seu site?"),
        description: text(
            "Check whether a home page declares its site name with WebSite markup or og:site_name, and get a block ready to paste.",
            "Confira se a página inicial declara o nome do site com marcação WebSite ou og:site_name e receba o bloco pronto para colar.",
        ),
        lead: text(
            "Google shows the site name above each result. It takes the name mainly from the `WebSite` node of the home page; without one it guesses, and may show only the domain.",
            "O Google mostra o nome do site acima de cada resultado. Ele o tira principalmente do nó `WebSite` da página inicial; sem ele, adivinha e pode mostrar só o domínio.",
        ),
        example: include_str!("site_name/bad_title.http"),
    },
    checks: &[MISSING],
};

const MISSING: Check = Check {
    code: "site_name_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Site name not declared", "Nome do site não declarado"),
    why: text(
        "Without a declared name, Google picks one from titles and links, or shows the domain.",
        "Sem um nome declarado, o Google escolhe um a partir de títulos e links ou mostra o domínio.",
    ),
    how: text(
        "Add a `WebSite` node with `name` and `url` to the home page.",
        "Adicione um nó `WebSite` com `name` e `url` à página inicial.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/site-names#website",
    rule: text(
        "Fails when the home page (path `/`, no query) has neither a `WebSite` node in any syntax nor an `og:site_name` with content. A `WebSite` node without name or url is reported by `jsonld_required_missing`. Not applicable to other pages. Not measured on a page with noindex, on a cut page, on an empty app shell, or when a JSON-LD block, which may name the site, can't be read.",
        "Falha quando a página inicial (caminho `/`, sem query) não tem um nó `WebSite` em nenhuma sintaxe nem um `og:site_name` com conteúdo. Um nó `WebSite` sem nome ou url é apontado por `jsonld_required_missing`. Não se aplica a outras páginas. Não é medido em página com noindex, em página cortada, na casca vazia de um aplicativo, ou quando um bloco JSON-LD, que pode dar o nome do site, não pode ser lido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: missing,
};

/// Fails on a home page that does not state the name of its site.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if facts.url()?.path() != "/" || facts.url()?.query().is_some() {
        return Err(NotMeasured::Absent);
    }
    facts.indexable()?;
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    let is_site = |kind: &&str| *kind == "WebSite";
    let is_told = facts.graph().is_ok_and(|graph| graph.nodes.iter().any(|node| node.types.iter().any(is_site)));
    // One that lacks its context is told as that.
    let is_without_context = html.json_ld.types.iter().any(|kind| is_site(&kind.as_str()));
    if is_told || is_without_context || html.social("og:site_name").is_some() {
        return PASS;
    }
    if facts.has_unread_json_ld() {
        return Err(NotMeasured::JsonLd);
    }
    const NONE: Text = text(
        "The home page doesn't declare the site name: it has neither a WebSite node nor og:site_name.",
        "A página inicial não declara o nome do site: não tem nó WebSite nem og:site_name.",
    );
    const NAME: Text =
        text("Enter the name as you want Google to show it.", "Escreva o nome como quer que o Google o mostre.");
    if let Some(block) = new_nodes::web_site(facts, html) {
        return problem(NONE, &[], FixDraft::block(&block)).fail();
    }
    let root = facts.own_url()?.join("/").map_err(|_| NotMeasured::Fetch)?;
    let block = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "WebSite",
        "name": "{{SITE_NAME}}",
        "url": root.as_str(),
    });
    let snippet = format!("<script type=\"application/ld+json\">{}</script>", crate::escape::json_in_html(&block));
    problem(NONE, &[], FixDraft::template(FixTarget::Head, snippet).note(NAME, &[])).fail()
}
