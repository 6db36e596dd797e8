//! Text that a template left behind where an author was to write.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, packed};

use crate::check::prelude::*;
use crate::facts::document::{Namespace, collapse, trimmed};
use crate::facts::page::Html;
use crate::facts::visibility::hides;
use crate::facts::word_set::WordSet;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "placeholder-text", category: Category::Content, landing: LANDING, checks: &[PLACEHOLDER] };

const LANDING: Landing = Landing {
    title: text("Placeholder text checker", "Localizador de textos de exemplo"),
    h1: text("Did a placeholder go live on your page?", "Algum texto de exemplo foi publicado na sua página?"),
    description: text(
        "Find filler Latin, unfilled template variables, undefined and “your text here” in the visible text of a page.",
        "Encontre latim de enchimento, variáveis de template não preenchidas, undefined e “seu texto aqui” no texto visível da página.",
    ),
    lead: text(
        "Placeholders go live when a template is published before its content. They look careless and end up in search results. This tool finds them in the visible text and ignores code samples.",
        "Textos de exemplo vão ao ar quando um template é publicado antes do conteúdo. Parecem descuido e acabam nos resultados de busca. Esta ferramenta os encontra no texto visível e ignora exemplos de código.",
    ),
    example: include_str!("placeholder_text/bad_lorem.html"),
};

const PLACEHOLDER: Check = Check {
    code: "placeholder_text",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Placeholder text on the page", "Texto de exemplo na página"),
    why: text(
        "Visitors and search engines read text that was not meant for them, and may take the page for unfinished.",
        "Visitantes e buscadores leem um texto que não era para eles e podem achar que a página está inacabada.",
    ),
    how: text(
        "Write the real text, or remove the element. If a program fills it in, find out why it did not.",
        "Escreva o texto real ou remova o elemento. Se um programa o preenche, descubra por que não preencheu.",
    ),
    reference: "https://developers.google.com/search/docs/fundamentals/creating-helpful-content",
    rule: text(
        "Fails when a text of the page begins with “lorem ipsum dolor”, contains `{{…}}` or `[object Object]`, consists only of `undefined` or `NaN`, or is in the list `placeholder_texts.txt`; letter case doesn't matter. The list is not applied directly inside forms, or in search boxes, labels, buttons, options and fields edited in place, where such a text tells visitors what to enter. Attributes, hidden elements and text in `pre`, `code`, `kbd`, `samp`, `var`, `textarea`, `script`, `style`, `template` and `noscript` are ignored. `{{…}}` is also ignored inside elements with attributes of Angular, Vue, Alpine or Knockout, whose scripts fill it in.",
        "Falha quando um texto da página começa com “lorem ipsum dolor”, contém `{{…}}` ou `[object Object]`, consiste só em `undefined` ou `NaN`, ou está na lista `placeholder_texts.txt`; maiúsculas não importam. A lista não vale diretamente dentro de formulários, nem em caixas de busca, labels, botões, opções e campos editados no lugar, onde um texto assim diz ao visitante o que digitar. Atributos, elementos ocultos e textos em `pre`, `code`, `kbd`, `samp`, `var`, `textarea`, `script`, `style`, `template` e `noscript` são ignorados. `{{…}}` também é ignorado dentro de elementos com atributos de Angular, Vue, Alpine ou Knockout, cujos scripts o preenchem.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: placeholder,
};

/// Texts that a template leaves behind, in lower case. Source and date in the file.
static TEXTS: LazyLock<WordSet> = LazyLock::new(|| WordSet::of_lines(include_str!("../../data/placeholder_texts.txt")));

/// Characters of the longest text that is compared with the list as a whole.
const LONGEST: usize = 80;
/// Characters shown of what was found.
const SHOWN: usize = 60;

/// Whether the text of an element is source code or seen by nobody.
fn is_code(element: Element<'_>) -> bool {
    let is_named = matches!(
        element.name(),
        "pre" | "code" | "kbd" | "samp" | "var" | "textarea" | "script" | "style" | "template" | "noscript"
    );
    is_named && element.namespace() == Namespace::Html
}

/// Why a text is taken for a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leftover {
    /// It can be nothing else.
    Plain,
    /// A variable, which a script of the page may fill in.
    Variable,
    /// One of the list, which may tell a visitor what to type.
    Listed,
}

/// What of a text is a placeholder.
fn found_in(run: &str) -> Option<Leftover> {
    let text = trimmed(run);
    let is_plain = match text.as_bytes() {
        [] => return None,
        [b'l' | b'L', ..] => text.get(..17).unwrap_or_default().eq_ignore_ascii_case("lorem ipsum dolor"),
        [b'u' | b'N', ..] => matches!(text, "undefined" | "NaN"),
        _ => false,
    };
    if is_plain {
        return Some(Leftover::Plain);
    }
    // Few texts have a bracket.
    let has_bracket = memchr::memchr2(b'[', b'{', text.as_bytes()).is_some();
    if has_bracket && text.contains("[object Object]") {
        return Some(Leftover::Plain);
    }
    if has_bracket && text.find("{{").is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains("}}"))) {
        return Some(Leftover::Variable);
    }
    (text.len() <= LONGEST && is_listed(text)).then_some(Leftover::Listed)
}

/// Whether a text, without the signs around it, is one of the list; letter case doesn't matter.
fn is_listed(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    // Nearly every text is none, which its first letter tells, or its length before it is copied.
    if !bare.chars().next().is_some_and(|first| TEXTS.begins_ignoring_case(first)) {
        return false;
    }
    if is_single_spaced(bare) && !TEXTS.may_contain_ignoring_case(bare) {
        return false;
    }
    TEXTS.contains(collapse(bare).to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Whether a text is ASCII, with no white space in it but single spaces: neither collapsing it nor letter case changes its
/// length.
fn is_single_spaced(text: &str) -> bool {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    text.bytes().all(is_plain) && !text.as_bytes().windows(2).any(|pair| pair == b"  ")
}

/// A text as it is shown: its first characters, with `…` where more follow.
fn shown(run: &str) -> String {
    let text = collapse(run);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Whether a script library of the page fills in the text of an element, by the attributes that it asks for.
fn is_bound(element: Element<'_>) -> bool {
    const STARTS: [&str; 8] = ["ng-", "data-ng-", "v-", "x-", "@", ":", "*ng", "data-bind"];
    std::iter::once(element)
        .chain(element.ancestors())
        .any(|around| around.attributes().any(|(name, _)| STARTS.iter().any(|start| name.starts_with(start))))
}

/// Whether an element stands where texts tell a visitor what to type or choose.
fn is_of_form(element: Element<'_>) -> bool {
    const NAMES: [&str; 7] = ["search", "label", "button", "option", "select", "legend", "fieldset"];
    // Some systems put the whole page into one form.
    const NEAR: usize = 4;
    std::iter::once(element).chain(element.ancestors()).enumerate().any(|(level, around)| {
        NAMES.iter().any(|name| around.is(name))
            || level < NEAR && around.is("form")
            || around.has("contenteditable")
            || around
                .attribute("role")
                .is_some_and(|role| matches!(role.trim(), "search" | "textbox" | "searchbox" | "combobox"))
    })
}

/// The longest run of ASCII in a text: letter case is ignored in it without tables of Unicode.
fn in_ascii(text: &'static str) -> &'static str {
    text.split(|c: char| !c.is_ascii()).max_by_key(|part| part.len()).unwrap_or_default()
}

/// Finds what every placeholder but `NaN` and variables has in it.
enum Parts {
    /// Many bytes in one step, where the processor can.
    Packed(packed::Searcher),
    Automaton(AhoCorasick),
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| {
    let listed = TEXTS.iter().map(in_ascii);
    let mut parts: Vec<&str> =
        ["lorem ipsum dolor", "[object object]", "undefined"].into_iter().chain(listed).collect();
    // What has another part in it is found with that: the fewer there are, the faster it is.
    parts.sort_by_key(|part| part.len());
    let mut shortest: Vec<&str> = Vec::new();
    for part in parts {
        if !shortest.iter().any(|short| part.contains(short)) {
            shortest.push(part);
        }
    }
    match packed::Config::new().builder().extend(&shortest).build() {
        Some(searcher) => Parts::Packed(searcher),
        None => {
            Parts::Automaton(AhoCorasick::new(shortest).expect("a table of some fifty short texts is small enough"))
        }
    }
});

impl Parts {
    /// Whether one of them is in a text; letter case doesn't matter.
    fn are_in(&self, text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        match self {
            Self::Packed(searcher) => searcher.find(&lower).is_some(),
            Self::Automaton(automaton) => automaton.is_match(&lower),
        }
    }
}

/// Whether the page may show one: on most pages nothing of them is in the text.
fn may_show_one(html: &Html) -> bool {
    let text = &html.text.text;
    let holds = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    *html.text.may_hold_placeholder.get_or_init(|| PARTS.are_in(text) || holds("NaN") || holds("{{"))
}

/// Elements with a placeholder among their own texts, and that text.
fn placeholders(html: &Html) -> Vec<(Element<'_>, String)> {
    let Some(body) = html.document.body() else { return Vec::new() };
    if !may_show_one(html) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for element in std::iter::once(body).chain(body.descendants()).filter(|element| !is_code(*element)) {
        let Some(run) = element.own_texts().find(|run| found_in(run).is_some()) else { continue };
        if element.ancestors().any(is_code) || std::iter::once(element).chain(element.ancestors()).any(hides) {
            continue;
        }
        let is_left = match found_in(run) {
            Some(Leftover::Plain) => true,
            Some(Leftover::Variable) => !is_bound(element),
            Some(Leftover::Listed) => !is_of_form(element),
            None => false,
        };
        if is_left {
            found.push((element, shown(run)));
        }
    }
    found
}

fn placeholder(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found = placeholders(html);
    let Some((_, first)) = found.first() else { return PASS };
    const LEFT: Text = text(
        "The page has {count} placeholder {count|text: “{text}”|texts; the first is “{text}”}.",
        "A página tem {count} {count|texto de exemplo: “{text}”|textos de exemplo; o primeiro é “{text}”}.",
    );
    let values = [("count", found.len().into()), ("text", first.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Body, PLACEHOLDER.how, &[]);
    problem(LEFT, &values, fix).on(found.iter().map(|(element, _)| element)).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_text_about_them() {
        for text in
            ["Lorem ipsum dolor sit amet", " undefined\n", "Hello {{ name }}", "Your text here!", "[object Object]"]
        {
            assert!(found_in(text).is_some(), "{text}");
        }
        for text in ["", "The text lorem ipsum dolor is old", "undefined behaviour", "{{ open", "Write your text here"]
        {
            assert!(found_in(text).is_none(), "{text}");
        }
    }

    #[test]
    fn each_listed_text_is_noticed_in_the_text_of_a_page() {
        for text in TEXTS.iter() {
            assert!(in_ascii(text).len() >= 8, "{text}");
            assert!(PARTS.are_in(text) && PARTS.are_in(&text.to_uppercase()), "{text}");
        }
        assert!(!PARTS.are_in("An ordinary sentence about finance and lorem."));
    }

    #[test]
    fn white_space_and_case_do_not_hide_a_placeholder() {
        for text in ["YOUR\u{A0}TEXT  HERE", "your\n    text\there", "Your text here"] {
            assert!(found_in(text).is_some(), "{text}");
        }
        let plain = [
            ("a b", true),
            ("a  b", false),
            (" ", true),
            ("a\tb", false),
            ("é", false),
            ("a\u{7f}", false),
            ("", true),
        ];
        for (text, wanted) in plain {
            assert_eq!(is_single_spaced(text), wanted, "{text:?}");
        }
    }
}
