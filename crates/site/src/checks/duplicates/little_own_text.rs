//! Pages that have little text besides what every page of the site repeats.

use crate::check::prelude::*;

/// Words of its own below which a page says very little, as of the check `text_thin` of a page.
const LEAST_WORDS: u32 = 100;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "little_own_text",
    severity: Severity::Info,
    title: text("Little text of its own", "Pouco texto próprio"),
    why: text(
        "Most of the text of such a page is the same on every page of the site, so visitors find little there that other pages don't have.",
        "A maior parte do texto de uma página assim é igual em todas as páginas do site, e o visitante encontra nela pouco que não esteja nas outras.",
    ),
    how: text(
        "Add what visitors need to know, in your own words, or merge the page with one that has it.",
        "Acrescente o que os visitantes precisam saber, com suas palavras, ou una a página a outra que já tenha isso.",
    ),
    reference: "https://developers.google.com/search/docs/fundamentals/creating-helpful-content",
    rule: text(
        "Fails when the main text of an indexable page has at least 100 words, but fewer than 100 without the paragraphs that the first page and 9 of 10 pages repeat. The first page and pages that are forms, videos or galleries are left out. Not measured on sites of fewer than 5 pages with text, where no paragraph is repeated, and in scripts without word spaces (Chinese, Japanese, Thai).",
        "Falha quando o texto principal de uma página indexável tem pelo menos 100 palavras, mas menos de 100 sem os parágrafos que se repetem na primeira página e em 9 de cada 10 páginas. Ficam de fora a primeira página e as que são formulários, vídeos ou galerias. Não é medido em sites com menos de 5 páginas com texto, onde nenhum parágrafo se repete, e em escritas sem espaço entre palavras (chinês, japonês, tailandês).",
    ),
    message: text(
        "{cases} {cases|page has|pages have} fewer than 100 words of {cases|its|their} own.",
        "{cases} {cases|página tem|páginas têm} menos de 100 palavras próprias.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "{own} of {words} {words|word|words} are its own; the others are on every page.",
        "{own} de {words} {words|palavra|palavras} são só dela; as outras estão em todas as páginas.",
    );
    if site.documents().all(|(_, _, document)| document.repeated == 0) {
        return Err(Unmeasured::Absent);
    }
    let case = |(id, _, document): (PageId, PageNode, DocumentNode)| {
        let words = document.content.as_ref()?.words;
        let own = words.saturating_sub(document.repeated);
        let is_meant = document.is_prose && site.is_indexable(id) && site.start() != Some(id);
        let is_little = document.repeated > 0 && own < LEAST_WORDS && words >= LEAST_WORDS;
        let values = [("own", own.into()), ("words", words.into())];
        (is_meant && is_little && !document.looks_missing).then(|| case_of(site.url(id), NOTE, &values, [id]))
    };
    Ok(site.documents().filter_map(case).collect())
}
