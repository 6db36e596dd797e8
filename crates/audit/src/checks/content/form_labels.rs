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
    h1: text("Can everybody use the forms of your page?", "Todos conseguem usar os formulários da sua página?"),
    description: text(
        "Find fields without a label and buttons without a name, which screen readers and AI agents can't tell what they are for.",
        "Encontre campos sem label e botões sem nome, dos quais leitores de tela e agentes de IA não sabem para que servem.",
    ),
    lead: text(
        "A screen reader says “edit” or “button” and nothing else where a field has no label or a button only a picture. Agents that fill in forms for people are as lost; this tool names each such element.",
        "O leitor de tela diz “edição” ou “botão” e mais nada quando um campo não tem label ou um botão só tem um desenho. Agentes que preenchem formulários ficam igualmente perdidos; esta ferramenta aponta cada elemento assim.",
    ),
    example: include_str!("form_labels/bad_field.html"),
};

const FIELD: Check = Check {
    code: "form_label_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Fields without a label", "Campos sem label"),
    why: text(
        "Who can't see the page is not told what to type, and speech input and agents can't address the field.",
        "Quem não vê a página não fica sabendo o que digitar, e comandos de voz e agentes não conseguem indicar o campo.",
    ),
    how: text(
        "Put the field's text into a `<label for=\"…\">`, or add `aria-label` where no text is to be seen.",
        "Coloque o texto do campo em um `<label for=\"…\">`, ou adicione `aria-label` onde não deve haver texto visível.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/e086e5/",
    // A placeholder passes: it gives the field its accessible name (HTML-AAM 1.0 §4.1.1), which is what the rule asks for.
    rule: text(
        "Fails on `input`, `select` and `textarea` without a name: no `label` with text around it or for its `id`, no `aria-label`, `title` or `placeholder`, and no `aria-labelledby` that leads to text. Left alone are the types `hidden`, `submit`, `button`, `reset` and `image`, disabled fields, those hidden by `hidden`, `aria-hidden`, an inline style or a class such as `hidden`, fields whose `id` a script of the page changes, and traps for programs: fields that `by_design.tsv` knows by name, `id` or class, their own or around them in the form (`honeypot`, `_gotcha` and the like), or with `tabindex=-1` and `autocomplete=off`. A note where all of them stand in a header, footer, navigation or aside. Not measured on an empty app shell; not applicable without fields.",
        "Falha com `input`, `select` e `textarea` sem nome: nenhum `label` com texto em volta ou para o seu `id`, nenhum `aria-label`, `title` ou `placeholder`, e nenhum `aria-labelledby` que leve a um texto. Ficam de fora os tipos `hidden`, `submit`, `button`, `reset` e `image`, campos desativados, os ocultos por `hidden`, `aria-hidden`, estilo embutido ou uma classe como `hidden`, campos cujo `id` um script da página troca, e armadilhas para programas: campos que `by_design.tsv` conhece pelo nome, `id` ou classe, próprios ou em volta deles no formulário (`honeypot`, `_gotcha` e semelhantes), ou com `tabindex=-1` e `autocomplete=off`. É só uma nota quando todos estão em cabeçalho, rodapé, navegação ou lateral. Não é medido na casca vazia de um aplicativo; não se aplica sem campos.",
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
        "A screen reader says “button” and nothing else; who hears it can't know what it does.",
        "O leitor de tela diz “botão” e mais nada; quem ouve não tem como saber o que ele faz.",
    ),
    how: text(
        "Write text into the button, give its picture an `alt`, or add `aria-label`.",
        "Escreva texto no botão, dê um `alt` à imagem dele ou adicione `aria-label`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/97a4e1/",
    rule: text(
        "Fails on `button` and elements with `role=button` without text that is shown, `aria-label`, `aria-labelledby` that leads to text, `title`, image alternative, SVG title or label around or for it. Left alone are those hidden by `hidden`, `aria-hidden` or an inline style, disabled ones, and links, which are `link_text_empty`. A note up to two of them. Not measured on an empty app shell; not applicable without buttons.",
        "Falha com `button` e elementos com `role=button` sem texto visível, `aria-label`, `aria-labelledby` que leve a um texto, `title`, texto alternativo de imagem, título de SVG ou label em volta ou para ele. Ficam de fora os ocultos por `hidden`, `aria-hidden` ou estilo embutido, os desativados, e links, que são `link_text_empty`. Até dois, é só uma nota. Não é medido na casca vazia de um aplicativo; não se aplica sem botões.",
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
    declarations(style).any(|(name, value)| match name.as_str() {
        "opacity" => value.parse::<f32>().is_ok_and(|opacity| opacity == 0.0),
        "width" | "height" | "max-height" => matches!(value.as_str(), "0" | "0px" | "1px"),
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
        "{count} {count|field has|fields have} no label; the first is {tag}.",
        "{count} {count|campo não tem|campos não têm} label; o primeiro é {tag}.",
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
        "{count} of {total} buttons {count|has|have} no name; the first is {tag}.",
        "{count} de {total} botões não {count|tem|têm} nome; o primeiro é {tag}.",
    );
    let (count, total) = (found.len(), buttons().count());
    let values = [("count", count.into()), ("total", total.into()), ("tag", first.quoted().into())];
    let fix = FixDraft::template(FixTarget::Body, with_name(*first, "{{ACTION}}"));
    problem(NAMELESS, &values, fix).on(&found).minor_if(count < NOTE_BELOW).fail()
}
