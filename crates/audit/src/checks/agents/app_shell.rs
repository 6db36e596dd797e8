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
        "Checks whether the HTML of a page has its content, or is an empty shell that AI agents and link previews can't read.",
        "Verifica se o HTML da página traz o conteúdo ou é uma casca vazia que agentes de IA e prévias de links não conseguem ler.",
    ),
    lead: text(
        "Search engines run scripts late, and most AI agents and link previews never do. What is missing from the HTML doesn't exist for them.",
        "Os buscadores executam scripts mais tarde; a maioria dos agentes de IA e das prévias de links nunca executa. O que falta no HTML não existe para eles.",
    ),
    example: include_str!("app_shell/bad_mount.html"),
};

const EMPTY: Check = Check {
    code: "app_shell_empty",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("No content without JavaScript", "Nenhum conteúdo sem JavaScript"),
    why: text(
        "Most AI agents and link previews run no scripts, and search engines run them later, if at all. They see an empty page.",
        "A maioria dos agentes de IA e das prévias de links não executa scripts, e os buscadores os executam mais tarde, se executarem. Eles veem uma página vazia.",
    ),
    how: text(
        "Render the content on the server or at build time, and hydrate it in the browser.",
        "Renderize o conteúdo no servidor ou no build e hidrate-o no navegador.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
    rule: text(
        "Fails when the HTML has fewer than 50 words and fewer than 250 characters of visible text, loads a script file, and shows a sign of an app: an empty mount element such as `#root`, `#app` or `#__next`, or a module script together with a `noscript` that asks for JavaScript. A page that is merely short passes. Not measured on a page that was cut off.",
        "Falha quando o HTML tem menos de 50 palavras e menos de 250 caracteres de texto visível, carrega um arquivo de script e traz um sinal de aplicativo: um elemento de montagem vazio, como `#root`, `#app` ou `#__next`, ou um script de módulo junto com um `noscript` que pede JavaScript. Uma página apenas curta passa. Não é medido em uma página cortada.",
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
        "The HTML has {words} {words|word|words} of text and needs JavaScript to show its content ({sign}).",
        "O HTML tem {words} {words|palavra|palavras} de texto e precisa de JavaScript para mostrar o conteúdo ({sign}).",
    );
    let sign = match shell {
        Shell::Mount(id) => format!("#{id}"),
        Shell::AsksForScript => "noscript".to_owned(),
    };
    const RENDER: Text = text(
        "Send the content in the HTML: use server-side rendering, static generation or prerendering.",
        "Envie o conteúdo no HTML: use renderização no servidor, geração estática ou pré-renderização.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, RENDER, &[]);
    let place = html
        .document
        .elements()
        .find(|element| matches!(shell, Shell::Mount(id) if element.attribute("id") == Some(id)));
    problem(SHELL, &[("words", html.text.words.into()), ("sign", sign.into())], fix).on(place).fail()
}
