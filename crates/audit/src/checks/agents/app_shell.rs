//! Pages whose HTML is empty until a script has run.

use crate::check::prelude::*;
use crate::facts::shell::Shell;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "app-shell", category: Category::Agents, landing: Landing::TO_WRITE, checks: &[EMPTY] };

const EMPTY: Check = Check {
    code: "app_shell_empty",
    severity: Severity::Warn,
    title: text("Nothing to read without JavaScript", "Nada para ler sem JavaScript"),
    why: text(
        "Most AI agents and link previews run no script, and search engines run it later, if at all. To them this page is empty.",
        "A maioria dos agentes de IA e das prévias de links não executa scripts, e os buscadores executam depois, se executarem. Para eles esta página está vazia.",
    ),
    how: text(
        "Render the content on the server or at build time, and let the script take over in the browser.",
        "Gere o conteúdo no servidor ou na compilação, e deixe o script assumir no navegador.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
    rule: text(
        "Fails on little text together with an empty mount element, or module bundles that ask for JavaScript.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: empty,
};

/// Fails on little text together with an empty mount element, or module bundles that ask for JavaScript.
fn empty(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    let Some(shell) = facts.shell() else { return PASS };
    const SHELL: Text = text(
        "The HTML has {words} {words|word|words} of text and waits for a script ({sign}).",
        "O HTML tem {words} {words|palavra|palavras} de texto e espera por um script ({sign}).",
    );
    let sign = match shell {
        Shell::Mount(id) => format!("#{id}"),
        Shell::AsksForScript => "noscript".to_owned(),
    };
    const RENDER: Text = text(
        "Send the content in the HTML: server-side rendering, static generation or prerendering.",
        "Envie o conteúdo no HTML: renderização no servidor, geração estática ou pré-renderização.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, RENDER, &[]);
    let place = html
        .document
        .elements()
        .find(|element| matches!(shell, Shell::Mount(id) if element.attribute("id") == Some(id)));
    Ok(Some(
        problem(SHELL, &[("words", html.text.words.into()), ("sign", sign.into())], fix).at(place.map(Element::place)),
    ))
}
