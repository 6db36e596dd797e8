//! Pages whose HTML is empty until a script has run.

use crate::check::prelude::*;
use crate::facts::shell::{FEW_CHARACTERS, FEW_WORDS, Shell};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "app-shell", category: Category::Agents, landing: LANDING, checks: &[EMPTY] };

const LANDING: Landing = Landing {
    title: text("JavaScript-only page checker", "Verificador de página que depende de JavaScript"),
    h1: text("What is left of your page without JavaScript?", "O que resta da sua página sem JavaScript?"),
    description: text(
        "Tells whether the HTML of a page has its content, or is an empty shell that AI agents and previews can't read.",
        "Diz se o HTML de uma página traz o conteúdo ou é uma casca vazia que agentes de IA e prévias não conseguem ler.",
    ),
    lead: text(
        "Search engines run scripts late, and most AI fetchers and link previews never do. What is not in the HTML does not exist for them.",
        "Os buscadores executam scripts tarde, e a maioria dos agentes de IA e das prévias de links nunca executa. O que não está no HTML não existe para eles.",
    ),
    example: include_str!("app_shell/bad_mount.html"),
};

const EMPTY: Check = Check {
    code: "app_shell_empty",
    severity: Severity::Warn,
    impact: Impact::Rendering,
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
        "Fails when the HTML has fewer than 50 words and 250 characters of visible text and a script file, together with an empty element into which frameworks mount an app (`#root`, `#app`, `#__next` and others), or with a module file and a `noscript` that asks for JavaScript. What is only short passes. Not measured on a cut page.",
        "Falha quando o HTML tem menos de 50 palavras e de 250 caracteres de texto visível e um arquivo de script, junto com um elemento vazio em que frameworks montam um aplicativo (`#root`, `#app`, `#__next` e outros), ou com um arquivo de módulo e um `noscript` que pede JavaScript. O que é apenas curto passa. Não é medido em uma página cortada.",
    ),
    thresholds: &[
        threshold("words", FEW_WORDS as u64, "words"),
        threshold("characters", FEW_CHARACTERS as u64, "characters"),
    ],
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
    problem(SHELL, &[("words", html.text.words.into()), ("sign", sign.into())], fix).on(place).fail()
}
