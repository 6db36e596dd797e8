//! The text of a page: too little of it, or text that nobody is meant to see.

use crate::check::prelude::*;
use crate::facts::document::collapse_into;
use crate::facts::listed::is_common_part;
use crate::facts::other_content::is_other_than_text;
use crate::facts::page::Html;
use crate::facts::text::count_words;
use crate::facts::visibility::{Concealment, concealment};
use crate::facts::words::Script;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "thin-content", category: Category::Content, landing: LANDING, checks: &[THIN, HIDDEN] };

const LANDING: Landing = Landing {
    title: text("Thin content and hidden text checker", "Verificador de conteúdo escasso e texto oculto"),
    h1: text("How much text does your page really have?", "Quanto texto sua página realmente tem?"),
    description: text(
        "Count the words of a page's main content without menus and footers, and find text that inline styles hide from visitors.",
        "Conte as palavras do conteúdo principal sem menus e rodapés, e encontre texto que estilos embutidos escondem dos visitantes.",
    ),
    lead: text(
        "No search engine requires a word count, but a page with almost no text answers no question, and hidden text violates their spam policies. This tool counts the words outside menus and footers.",
        "Nenhum buscador exige um número de palavras, mas uma página quase sem texto não responde a nenhuma pergunta, e texto oculto viola as políticas de spam deles. Esta ferramenta conta as palavras fora de menus e rodapés.",
    ),
    example: include_str!("text_content/bad_thin.html"),
};

const THIN: Check = Check {
    code: "text_thin",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Very little text", "Muito pouco texto"),
    why: text(
        "A page with few words rarely answers what people search for. No search engine sets a minimum; check whether this page says what its visitors need.",
        "Uma página com poucas palavras raramente responde ao que as pessoas buscam. Nenhum buscador define um mínimo; verifique se esta página diz o que os visitantes precisam.",
    ),
    how: text(
        "Add what visitors need to know, in your own words, or merge the page with one that has it.",
        "Acrescente o que os visitantes precisam saber, com suas palavras, ou una a página a outra que já tenha isso.",
    ),
    reference: "https://developers.google.com/search/docs/fundamentals/creating-helpful-content",
    rule: text(
        "Fails when the main content has fewer than 100 words by Unicode segmentation; each Han or Kana character counts as a word. The main content is the first `main` element or `role=main`, otherwise the body, without `nav`, `footer`, `aside`, the site's `header` and hidden parts. Home pages are ignored, and so are pages whose content is a form with at least three fields or a password, a video, audio, iframe or `canvas`, or at least three images. Not measured for scripts without word spaces (Thai), on an empty app shell, when the page was cut off, and on pages that may not be indexed.",
        "Falha quando o conteúdo principal tem menos de 100 palavras pela segmentação Unicode; cada caractere Han ou Kana conta como uma palavra. O conteúdo principal é o primeiro elemento `main` ou `role=main`, ou então o body, sem `nav`, `footer`, `aside`, o `header` do site e partes ocultas. Páginas iniciais são ignoradas, assim como páginas cujo conteúdo é um formulário com pelo menos três campos ou uma senha, um vídeo, áudio, iframe ou `canvas`, ou pelo menos três imagens. Não é medido em escritas sem espaço entre palavras (tailandês), na casca vazia de um aplicativo, quando a página foi cortada, nem em páginas que não devem ser indexadas.",
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
    title: text("Hidden text", "Texto oculto"),
    why: text(
        "Search engines treat text with font size 0, far off the screen or in the color of its background as an attempt to mislead them, even when it is left over by mistake.",
        "Os buscadores tratam texto com fonte de tamanho 0, muito fora da tela ou da cor do fundo como tentativa de enganá-los, mesmo quando sobrou por engano.",
    ),
    how: text(
        "Show the text or remove it. Text meant for screen readers should be a short label.",
        "Mostre o texto ou remova-o. Um texto destinado a leitores de tela deve ser um rótulo curto.",
    ),
    reference: "https://developers.google.com/search/docs/essentials/spam-policies#hidden-text-and-links",
    rule: text(
        "Fails when an element with at least 30 words has an inline style that sets `font-size` to 0 or `text-indent` to -999 pixels or less, positions it that far off the screen, or gives text and background the same color. `display: none` and style sheets are not judged, since menus, tabs and labels for screen readers use them legitimately.",
        "Falha quando um elemento com pelo menos 30 palavras tem um estilo embutido que define `font-size` como 0 ou `text-indent` como -999 pixels ou menos, o posiciona tão longe da tela, ou dá a texto e fundo a mesma cor. `display: none` e folhas de estilo não são avaliados, pois menus, abas e rótulos para leitores de tela os usam de forma legítima.",
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
/// Elements whose text is no prose.
const DATA: [&str; 4] = ["script", "style", "template", "noscript"];

/// The main content: the first `main`, else the body.
fn main_content(html: &Html) -> Option<Element<'_>> {
    let body = html.document.body()?;
    let mut mains = html.elements(&html.listed.mains);
    Some(mains.find(|main| !main.has("hidden") && !main.is_in_head()).unwrap_or(body))
}

/// Whether a text in runs has so many words or more. A space stands between runs, where no word goes on.
fn has_words<'t>(mut runs: impl Iterator<Item = &'t str>, least: usize) -> bool {
    /// Bytes that are counted at once. A space ends a word in every script.
    const PART: usize = 4 * 1024;
    let mut words = 0;
    runs.any(|run| {
        let mut rest = run;
        while words < least && !rest.is_empty() {
            let end = rest.bytes().skip(PART).position(|byte| byte == b' ').map_or(rest.len(), |space| PART + space);
            let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            words += count_words(part);
            rest = behind;
        }
        words >= least
    })
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
    let is_prose =
        |part: Element<'_>| !part.has("hidden") && !is_common_part(part) && !DATA.iter().any(|name| part.is(name));
    // Blocks are not parted by the text itself, so each run ends a word.
    if has_words(main.texts_where(is_prose), LEAST_WORDS) {
        return PASS;
    }
    let mut content = String::new();
    collapse_into(main.texts_where(is_prose).flat_map(|run| [run, " "]), &mut content);
    let words = count_words(&content);
    if content.chars().any(|letter| Script::of(letter) == Some(Script::Thai)) {
        return Err(NotMeasured::Language);
    }
    if is_other_than_text(html) {
        return Err(NotMeasured::Absent);
    }
    const FEW: Text = text(
        "The main content has only {words} {words|word|words}; the whole page has {total}.",
        "O conteúdo principal tem só {words} {words|palavra|palavras}; a página inteira tem {total}.",
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
        has_words(element.texts_where(is_prose), LEAST_HIDDEN_WORDS)
    });
    let found: Vec<(Element<'_>, Concealment)> = long.filter(|(element, _)| !html.listed.is_unseen(*element)).collect();
    let Some((_, how)) = found.first() else { return PASS };
    const NO_SIZE: Text = text(
        "{count|An element hides its text with font size 0|{count} elements hide their text; the first uses font size 0}.",
        "{count|Um elemento esconde o texto com fonte de tamanho 0|{count} elementos escondem o texto; o primeiro usa fonte de tamanho 0}.",
    );
    const OFF_SCREEN: Text = text(
        "{count|An element hides its text by moving it off the screen|{count} elements hide their text; the first moves it off the screen}.",
        "{count|Um elemento esconde o texto movendo-o para fora da tela|{count} elementos escondem o texto; o primeiro o move para fora da tela}.",
    );
    const SAME_COLOUR: Text = text(
        "{count|An element hides its text in the color of its background|{count} elements hide their text; the first uses the color of its background}.",
        "{count|Um elemento esconde o texto com a cor do próprio fundo|{count} elementos escondem o texto; o primeiro usa a cor do próprio fundo}.",
    );
    let message = match how {
        Concealment::NoSize => NO_SIZE,
        Concealment::OffScreen => OFF_SCREEN,
        Concealment::SameColour => SAME_COLOUR,
    };
    let fix = FixDraft::instruction(FixTarget::Body, HIDDEN.how, &[]);
    problem(message, &[("count", found.len().into())], fix).on(found.iter().map(|(element, _)| element)).fail()
}
