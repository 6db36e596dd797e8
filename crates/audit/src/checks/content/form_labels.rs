//! Fields and buttons without an accessible name.

use std::collections::HashSet;

use crate::check::prelude::*;
use crate::facts::by_design::{is_trap_field, swapped_ids};
use crate::facts::document::NodeId;
use crate::facts::names::{has_label, has_name};
use crate::facts::page::Html;
use crate::facts::visibility::declarations;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "form-labels", category: Category::Content, landing: LANDING, checks: &[FIELD, BUTTON] };

const LANDING: Landing = Landing {
    title: text("Form label and button name checker", "Verificador de labels e nomes de botões"),
    h1: text("Can everyone use the forms on your page?", "Todos conseguem usar os formulários da sua página?"),
    description: text(
        "Find form fields without a label and buttons without a name, which screen readers and AI agents can't identify.",
        "Encontre campos sem label e botões sem nome, que leitores de tela e agentes de IA não conseguem identificar.",
    ),
    lead: text(
        "A screen reader says only “edit” for a field without a label, and only “button” for a button without text. AI agents that fill in forms have the same problem. This tool lists each such element.",
        "Para um campo sem label, o leitor de tela diz só “edição”; para um botão sem texto, só “botão”. Agentes de IA que preenchem formulários têm o mesmo problema. Esta ferramenta lista cada elemento assim.",
    ),
    example: include_str!("form_labels/bad_field.html"),
};

const FIELD: Check = Check {
    code: "form_label_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Form fields without a label", "Campos de formulário sem label"),
    why: text(
        "Screen reader users don't learn what to enter, and voice control and AI agents can't identify the field.",
        "Quem usa leitor de tela não sabe o que digitar, e comandos de voz e agentes de IA não conseguem identificar o campo.",
    ),
    how: text(
        "Add a `<label for=\"…\">` with the field's name, or an `aria-label` if no text should be visible.",
        "Adicione um `<label for=\"…\">` com o nome do campo, ou um `aria-label` se não deve haver texto visível.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/e086e5/",
    // A placeholder passes: it gives the field its accessible name (HTML-AAM 1.0 §4.1.1), which is what the rule asks for.
    rule: text(
        "Fails on an `input`, `select` or `textarea` without a name: no `label` around it or for its `id`, no `aria-label`, `title` or `placeholder`, and no `aria-labelledby` that leads to text. These fields are ignored: the types `hidden`, `submit`, `button`, `reset` and `image`; disabled fields; fields hidden by `hidden`, `aria-hidden`, an inline style or a class such as `hidden`; fields whose `id` a script of the page changes; and spam traps, recognized by their name, `id` or class or those around them in the form (`honeypot`, `_gotcha` and similar), or by `tabindex=-1` with `autocomplete=off`. It is only a note when all such fields are in a header, footer, navigation or aside. Not measured on an empty app shell. Not applicable without fields.",
        "Falha com um `input`, `select` ou `textarea` sem nome: nenhum `label` em volta ou para o seu `id`, nenhum `aria-label`, `title` ou `placeholder`, e nenhum `aria-labelledby` que leve a um texto. Estes campos são ignorados: os tipos `hidden`, `submit`, `button`, `reset` e `image`; campos desativados; campos ocultos por `hidden`, `aria-hidden`, estilo embutido ou uma classe como `hidden`; campos cujo `id` um script da página troca; e armadilhas contra spam, reconhecidas pelo nome, `id` ou classe, próprios ou em volta no formulário (`honeypot`, `_gotcha` e semelhantes), ou por `tabindex=-1` com `autocomplete=off`. É só uma observação quando todos esses campos estão em cabeçalho, rodapé, navegação ou lateral. Não é medido na casca vazia de um aplicativo. Não se aplica sem campos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: WHOLE,
    run: field,
};

const BUTTON: Check = Check {
    code: "button_name_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Buttons without a name", "Botões sem nome"),
    why: text(
        "A screen reader says only “button”, so its users can't know what the button does.",
        "O leitor de tela diz só “botão”, e quem o usa não tem como saber o que o botão faz.",
    ),
    how: text(
        "Add text to the button, an `alt` to its image, or an `aria-label`.",
        "Adicione texto ao botão, um `alt` à imagem dele ou um `aria-label`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/97a4e1/",
    rule: text(
        "Fails on a `button` or an element with `role=button` without a name: no visible text, `aria-label`, `title`, image alternative, SVG title or label, and no `aria-labelledby` that leads to text. Disabled buttons and those hidden by `hidden`, `aria-hidden` or an inline style are ignored. Links are reported by `link_text_empty`. Up to two such buttons are only a note. Not measured on an empty app shell. Not applicable without buttons.",
        "Falha com um `button` ou elemento com `role=button` sem nome: nenhum texto visível, `aria-label`, `title`, texto alternativo de imagem, título de SVG ou label, e nenhum `aria-labelledby` que leve a um texto. Botões desativados e os ocultos por `hidden`, `aria-hidden` ou estilo embutido são ignorados. Links são relatados por `link_text_empty`. Até dois botões assim são só uma observação. Não é medido na casca vazia de um aplicativo. Não se aplica sem botões.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "buttons")],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: WHOLE,
    run: button,
};

/// Whether an attribute says something.
fn says(element: Element<'_>, name: &str) -> bool {
    element.attribute(name).is_some_and(|value| !value.trim().is_empty())
}

/// Labels with text, and the ids that they are for.
struct Labels<'h> {
    elements: HashSet<NodeId>,
    ids: HashSet<&'h str>,
}

impl<'h> Labels<'h> {
    fn of(html: &'h Html) -> Self {
        let labels: Vec<Element<'_>> = html.elements(&html.listed.labels).filter(|label| has_name(*label)).collect();
        Self {
            elements: labels.iter().map(|label| label.id()).collect(),
            ids: labels.iter().filter_map(|label| label.attribute("for")).collect(),
        }
    }

    /// Whether a label names an element: one with text around it, or one for its id.
    fn name(&self, element: Element<'_>) -> bool {
        element.attribute("id").is_some_and(|id| self.ids.contains(id))
            || !self.elements.is_empty() && element.ancestors().any(|around| self.elements.contains(&around.id()))
    }
}

/// Classes that by general habit hide an element.
const HIDING_CLASSES: [&str; 6] = ["hidden", "hide", "is-hidden", "d-none", "display-none", "visually-hidden"];
/// Elements around a field that may hide it.
const LEVELS_AROUND: usize = 3;

/// Whether a class or inline style, its own or one close around, takes a field out of sight: visitors never meet it.
fn is_out_of_sight(field: Element<'_>) -> bool {
    let is_taken_away = |element: Element<'_>| {
        HIDING_CLASSES.iter().any(|class| element.has_token("class", class))
            || element.attribute("style").is_some_and(has_no_room)
    };
    let around = field.ancestors().take(LEVELS_AROUND);
    let within_form = around.take_while(|element| !element.is("form") && !element.is("body"));
    std::iter::once(field).chain(within_form).any(is_taken_away)
}

/// Whether an inline style leaves an element no room, or makes it transparent.
fn has_no_room(style: &str) -> bool {
    declarations(style).any(|(name, value)| match &*name {
        "opacity" => value.parse::<f32>().is_ok_and(|opacity| opacity == 0.0),
        "width" | "height" | "max-height" => matches!(&*value, "0" | "0px" | "1px"),
        _ => false,
    })
}

/// What a field is, in lower case.
fn kind(field: Element<'_>) -> String {
    field.attribute("type").unwrap_or_default().trim().to_ascii_lowercase()
}

fn field(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let is_field =
        |field: &Element<'_>| !matches!(kind(*field).as_str(), "hidden" | "submit" | "button" | "reset" | "image");
    let fields = || html.elements(&html.listed.fields).filter(is_field);
    if fields().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let labels = Labels::of(html);
    let is_named = |field: &Element<'_>| ["title", "placeholder"].iter().any(|n| says(*field, n)) || has_label(*field);
    let mut found: Vec<Element<'_>> = fields()
        .filter(|field| !is_named(field) && !field.has("disabled"))
        .filter(|field| !labels.name(*field) && !html.listed.is_unseen(*field))
        .filter(|field| !is_trap_field(*field) && !is_out_of_sight(*field))
        .collect();
    if !found.is_empty() {
        // Which label such a field has is known only when the script has run.
        let renamed: HashSet<&str> = swapped_ids(html).into_iter().map(|(from, _)| from).collect();
        found.retain(|field| field.attribute("id").is_none_or(|id| !renamed.contains(id)));
    }
    let Some(first) = found.first() else { return PASS };
    const NAMELESS: Text = text(
        "{count} {count|form field has no label: {tag}|form fields have no label; the first is {tag}}.",
        "{count} {count|campo de formulário não tem label: {tag}|campos de formulário não têm label; o primeiro é {tag}}.",
    );
    let snippet = match first.attribute("id").filter(|id| !id.is_empty()) {
        Some(id) => format!("<label for=\"{}\">{{{{LABEL}}}}</label>", attribute(id)),
        None => with_name(*first, "{{LABEL}}"),
    };
    let fix = FixDraft::template(FixTarget::Body, snippet);
    let values = [("count", found.len().into()), ("tag", first.quoted().into())];
    let is_minor = found.iter().all(|field| html.listed.is_around(*field));
    problem(NAMELESS, &values, fix).on(&found).minor_if(is_minor).fail()
}

/// The element's start tag with a label of its own.
fn with_name(element: Element<'_>, name: &str) -> String {
    element.start_tag_with("aria-label", name).unwrap_or_else(|| format!("<input aria-label=\"{name}\">"))
}

/// Nameless buttons below which they are a note: an arrow or a closing cross, not how the page is used.
const NOTE_BELOW: usize = 3;

fn button(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let is_button = |button: &Element<'_>| !(button.is("input") || button.is("a") && button.has("href"));
    let buttons = || html.elements(&html.listed.buttons).filter(is_button);
    if buttons().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let labels = Labels::of(html);
    let found: Vec<Element<'_>> = buttons()
        .filter(|button| !button.has("disabled") && !has_name(*button) && !labels.name(*button))
        .filter(|button| !html.listed.is_unseen(*button))
        .collect();
    let Some(first) = found.first() else { return PASS };
    const NAMELESS: Text = text(
        "{total|The only button has|{count} of {total} buttons {count|has|have}} no name{count|: {tag}|; the first is {tag}}.",
        "{total|O único botão não tem|{count} de {total} botões não {count|tem|têm}} nome{count|: {tag}|; o primeiro é {tag}}.",
    );
    let (count, total) = (found.len(), buttons().count());
    let values = [("count", count.into()), ("total", total.into()), ("tag", first.quoted().into())];
    const ACTION: Text = text(
        "Replace `{{ACTION}}` with one or two words that say what the button does.",
        "Troque `{{ACTION}}` por uma ou duas palavras que digam o que o botão faz.",
    );
    let fix = FixDraft::template(FixTarget::Body, with_name(*first, "{{ACTION}}")).note(ACTION, &[]);
    problem(NAMELESS, &values, fix).on(&found).minor_if(count < NOTE_BELOW).fail()
}
