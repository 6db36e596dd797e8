//! Whether the HTML is only a shell that a script fills.

use super::document::Element;
use super::page::Html;

/// Words below which a page may be a shell.
pub const FEW_WORDS: usize = 50;
/// Characters below which a page may be a shell.
pub const FEW_CHARACTERS: usize = 250;
/// Ids of the elements into which frameworks mount an app.
const MOUNTS: [&str; 8] = ["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "app-root", "q-app"];

/// Why a page counts as an empty shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shell {
    /// An empty element of this id waits for an app.
    Mount(String),
    /// Module bundles, and a `noscript` that asks for JavaScript.
    AsksForScript,
}

/// Judges the document.
pub fn read(html: &Html) -> Option<Shell> {
    if html.text.words >= FEW_WORDS || html.text.text.chars().take(FEW_CHARACTERS).count() >= FEW_CHARACTERS {
        return None;
    }
    if html.scripts.iter().all(|id| html.element(*id).is_some_and(|script| !script.has("src"))) {
        return None;
    }
    let mount = html.document.elements().find(|element| is_empty_mount(*element));
    if let Some(id) = mount.and_then(|element| element.attribute("id")) {
        return Some(Shell::Mount(id.to_owned()));
    }
    let module = html.elements(&html.scripts).any(|script| {
        script.has("src") && script.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("module"))
    });
    (module && asks_for_script(html)).then_some(Shell::AsksForScript)
}

fn is_empty_mount(element: Element<'_>) -> bool {
    (element.is("div") || element.is("main") || element.name() == "app-root")
        && element.attribute("id").or(Some(element.name())).is_some_and(|id| MOUNTS.contains(&id))
        && element.children().next().is_none()
        && element.texts().all(|text| text.trim().is_empty())
}

/// With scripting on, the content of `noscript` is one text run.
fn asks_for_script(html: &Html) -> bool {
    html.document
        .elements()
        .filter(|element| element.is("noscript"))
        .any(|element| element.raw_text().to_lowercase().contains("javascript"))
}
