//! The text of a page: too little of it, or text that nobody is meant to see.

use crate::check::prelude::*;
use crate::facts::document::collapse_into;
use crate::facts::listed::is_common_part;
use crate::facts::page::Html;
use crate::facts::text::count_words;
use crate::facts::visibility::{Concealment, concealment};
use crate::facts::words::Script;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "thin-content", category: Category::Content, landing: LANDING, checks: &[THIN, HIDDEN] };

const LANDING: Landing = Landing {
    title: text("Thin content and hidden text checker", "Verificador de pouco conteúdo e texto oculto"),
    h1: text("How much text does your page really have?", "Quanto texto sua página tem de verdade?"),
    description: text(
        "Count the words of the main content without menus and footers, and find text that styles keep from readers but not from machines.",
        "Conte as palavras do conteúdo principal sem menus e rodapés e encontre texto que o estilo esconde dos leitores, mas não das máquinas.",
    ),
    lead: text(
        "No search engine asks for a number of words, but a page that says next to nothing answers no question, and text that only machines see breaks the rules of search engines. This tool counts what is left when menus and footers are taken away.",
        "Nenhum buscador pede um número de palavras, mas uma página que não diz quase nada não responde a pergunta nenhuma, e texto que só as máquinas veem quebra as regras dos buscadores. Esta ferramenta conta o que sobra sem menus e rodapés.",
    ),
    example: include_str!("text_content/bad_thin.html"),
};

const THIN: Check = Check {
    code: "text_thin",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Very little text", "Muito pouco texto"),
    why: text(
        "A page of a few words rarely answers what somebody searches for. No search engine states a minimum; look whether this page says what its visitors came for.",
        "Uma página de poucas palavras raramente responde ao que alguém busca. Nenhum buscador declara um mínimo; veja se esta página diz o que o visitante veio procurar.",
    ),
    how: text(
        "Say what visitors need to know, in your own words; or join the page with one that does.",
        "Diga o que o visitante precisa saber, com suas palavras; ou junte a página a uma que já diga.",
    ),
    reference: "https://developers.google.com/search/docs/fundamentals/creating-helpful-content",
    rule: text(
        "Fails when the main content has fewer than 100 words by Unicode segmentation, where each Han or Kana character counts as one. Main content is the first `main` or element with that role, else the body, each without `nav`, `footer`, `aside`, the site's `header` and hidden parts. Left alone are home pages, and pages whose content is a form of three fields or more or with a password, a video, audio, frame, `canvas`, or three pictures or more. Not measured in scripts that part no words (Thai), on an empty app shell, when the document was cut, and on a page that asks not to be indexed.",
        "Falha quando o conteúdo principal tem menos de 100 palavras pela segmentação Unicode, em que cada caractere Han ou Kana conta como uma. Conteúdo principal é o primeiro `main` ou elemento com esse papel, senão o corpo, sempre sem `nav`, `footer`, `aside`, o `header` do site e partes ocultas. Ficam de fora páginas iniciais e páginas cujo conteúdo é um formulário de três campos ou mais ou com senha, um vídeo, áudio, frame, `canvas`, ou três imagens ou mais. Não é medido em escritas que não separam palavras (tailandês), na casca vazia de um aplicativo, quando o documento foi cortado, nem em página que pede para não ser indexada.",
    ),
    thresholds: &[threshold("words", LEAST_WORDS as u64, "words")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: thin,
};

const HIDDEN: Check = Check {
    code: "hidden_text_suspect",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Text that only machines see", "Texto que só as máquinas veem"),
    why: text(
        "Text of no size, far off the screen or in the colour of its background counts as an attempt to mislead search engines, even where it was left behind by mistake.",
        "Texto sem tamanho, muito fora da tela ou da cor do fundo conta como tentativa de enganar os buscadores, mesmo quando sobrou por engano.",
    ),
    how: text(
        "Show the text, or take it out. For text that is meant for screen readers keep to a short label.",
        "Mostre o texto ou tire-o. Para texto destinado a leitores de tela, fique em um rótulo curto.",
    ),
    reference: "https://developers.google.com/search/docs/essentials/spam-policies#hidden-text-and-links",
    rule: text(
        "Fails when an element with 30 words of text or more has an inline style that sets `font-size` to 0, `text-indent` to -999 pixels or less, takes it out of the flow and moves it as far off the screen, or gives text and background the same colour. `display: none` and style sheets are not judged: menus, tabs and labels for screen readers use them with good reason.",
        "Falha quando um elemento com 30 palavras de texto ou mais tem um estilo embutido que põe `font-size` em 0, `text-indent` em -999 pixels ou menos, o tira do fluxo e o move para tão longe da tela, ou dá a texto e fundo a mesma cor. `display: none` e folhas de estilo não são julgados: menus, abas e rótulos para leitores de tela os usam com razão.",
    ),
    thresholds: &[threshold("words", LEAST_HIDDEN_WORDS as u64, "words")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: hidden,
};

/// Words below which a page says very little (no search engine states a minimum).
const LEAST_WORDS: usize = 100;
/// Words from which on concealed text is no label.
const LEAST_HIDDEN_WORDS: usize = 30;
/// Elements with a concealing style that are looked into: deeply nested ones hold the text of those within.
const MOST_CONCEALED: usize = 200;
/// Fields from which on a page is there to be filled in.
const FORM_FIELDS: usize = 3;
/// Pictures from which on they are the content.
const GALLERY: usize = 3;

/// Elements whose text is no prose.
const DATA: [&str; 4] = ["script", "style", "template", "noscript"];

/// The main content: the first `main`, else the body.
fn main_content(html: &Html) -> Option<Element<'_>> {
    let body = html.document.body()?;
    let is_main = |element: &Element<'_>| {
        element.is("main") || element.attribute("role").is_some_and(|role| role.trim().eq_ignore_ascii_case("main"))
    };
    Some(body.descendants().find(|element| is_main(element) && !element.has("hidden")).unwrap_or(body))
}

/// Whether the content is something else than text.
fn is_no_text_page(html: &Html) -> bool {
    let is_content = |element: &Element<'_>| !element.ancestors().any(is_common_part);
    let is_typed_into = |field: &Element<'_>| {
        let kind = field.attribute("type").unwrap_or_default().trim().to_ascii_lowercase();
        !matches!(kind.as_str(), "hidden" | "submit" | "button" | "reset" | "image")
    };
    let fields = html.elements(&html.listed.fields).filter(is_content).filter(is_typed_into).take(FORM_FIELDS).count();
    let is_medium =
        |element: &Element<'_>| ["video", "audio", "iframe", "embed", "object"].iter().any(|m| element.is(m));
    html.asks_password
        || fields >= FORM_FIELDS
        || html.elements(&html.addressed).filter(is_medium).any(|medium| is_content(&medium))
        || html.elements(&html.images).filter(is_content).take(GALLERY).count() >= GALLERY
        || html.document.elements().any(|element| element.is("canvas"))
}

fn thin(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.filled_page()?;
    facts.indexable()?;
    let url = facts.url()?;
    if matches!(url.path(), "/" | "") && url.query().is_none() {
        return Err(NotMeasured::Absent);
    }
    let Some(main) = main_content(html) else { return Err(NotMeasured::Absent) };
    let mut content = String::new();
    let is_prose =
        |part: Element<'_>| !part.has("hidden") && !is_common_part(part) && !DATA.iter().any(|name| part.is(name));
    // Blocks are not parted by the text itself, so each run ends a word.
    let runs = main.texts_where(is_prose).flat_map(|run| [run, " "]);
    collapse_into(runs, &mut content);
    let words = count_words(&content);
    if words >= LEAST_WORDS {
        return PASS;
    }
    if content.chars().any(|letter| Script::of(letter) == Some(Script::Thai)) {
        return Err(NotMeasured::Language);
    }
    if is_no_text_page(html) {
        return Err(NotMeasured::Absent);
    }
    const FEW: Text = text(
        "The main content has {words} {words|word|words}; the whole page has {total}.",
        "O conteúdo principal tem {words} {words|palavra|palavras}; a página inteira tem {total}.",
    );
    let fix = FixDraft::instruction(FixTarget::Body, THIN.how, &[]);
    let place = Some(main).filter(|main| main.start_tag().is_some()).map(Element::place);
    problem(FEW, &[("words", words.into()), ("total", html.text.words.into())], fix).at(place).fail()
}

fn hidden(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let concealed = html
        .elements(&html.listed.styled)
        .filter_map(|element| Some((element, concealment(element.attribute("style")?)?)));
    let long = concealed.take(MOST_CONCEALED).filter(|(element, _)| {
        let is_prose = |part: Element<'_>| !DATA.iter().any(|name| part.is(name));
        let mut words = 0;
        element.texts_where(is_prose).any(|run| {
            words += count_words(run);
            words >= LEAST_HIDDEN_WORDS
        })
    });
    let found: Vec<(Element<'_>, Concealment)> = long.filter(|(element, _)| !html.listed.is_unseen(*element)).collect();
    let Some((_, how)) = found.first() else { return PASS };
    const NO_SIZE: Text = text(
        "{count} {count|element keeps|elements keep} text from readers by a font of size 0.",
        "{count} {count|elemento esconde|elementos escondem} texto dos leitores com fonte de tamanho 0.",
    );
    const OFF_SCREEN: Text = text(
        "{count} {count|element keeps|elements keep} text from readers; the first by moving it off the screen.",
        "{count} {count|elemento esconde|elementos escondem} texto dos leitores; o primeiro, movendo-o para fora da tela.",
    );
    const SAME_COLOUR: Text = text(
        "{count} {count|element keeps|elements keep} text from readers; the first by the colour of its background.",
        "{count} {count|elemento esconde|elementos escondem} texto dos leitores; o primeiro, com a cor do próprio fundo.",
    );
    let message = match how {
        Concealment::NoSize => NO_SIZE,
        Concealment::OffScreen => OFF_SCREEN,
        Concealment::SameColour => SAME_COLOUR,
    };
    let fix = FixDraft::instruction(FixTarget::Body, HIDDEN.how, &[]);
    problem(message, &[("count", found.len().into())], fix).on(found.iter().map(|(element, _)| element)).fail()
}
