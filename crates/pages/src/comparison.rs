//! Two audits beside each other, as the pages that compare show them.

use model::finding::Severity;
use model::lang::{Lang, Text, text};
use render::band::Band;
use render::lab;
use render::shown::{minute, signed};
use service::tabs::{Compared, ComparedRun, LabChange};

use crate::words::severity_word;

/// Two audits beside each other, for `compared.html`.
pub(crate) struct ComparisonView<'a> {
    pub(crate) compared: &'a Compared,
    pub(crate) sides: [AuditColumn<'a>; 2],
    /// The result in two sentences: which scores more, and which findings only one has.
    pub(crate) summary: [String; 2],
    pub(crate) lab: Vec<LabRows>,
    /// Path of the same as JSON.
    pub(crate) json: String,
    /// Headings of what only the right one has, of what was hidden on the left, and of what only the left one has.
    pub(crate) headings: [&'static str; 3],
    /// Why the second heading's findings are not those of the first.
    pub(crate) revealed: &'static str,
    /// The page, where both are runs of it.
    pub(crate) page: Option<&'a str>,
    lang: Lang,
}

/// One of the two.
pub(crate) struct AuditColumn<'a> {
    pub(crate) name: &'static str,
    /// The page, where they are two.
    pub(crate) url: Option<&'a str>,
    pub(crate) audit_id: &'a str,
    pub(crate) created_at: String,
    pub(crate) score: Option<u32>,
    pub(crate) band: &'static str,
}

/// The lab tests of one strategy.
pub(crate) struct LabRows {
    pub(crate) name: &'static str,
    /// Name, earlier and later value, and the difference.
    pub(crate) rows: Vec<(&'static str, [String; 3])>,
}

impl<'a> ComparisonView<'a> {
    /// Of a comparison; `json` is the path of the same as JSON.
    pub(crate) fn of(compared: &'a Compared, json: String, lang: Lang) -> Self {
        const RUNS: [Text; 2] = [text("Before", "Antes"), text("After", "Depois")];
        const PAGES: [Text; 2] = [text("First page", "Primeira página"), text("Second page", "Segunda página")];
        const OF_RUNS: [Text; 3] =
            [text("New findings", "Achados novos"), text("Revealed", "Revelados"), text("Fixed", "Corrigidos")];
        const OF_PAGES: [Text; 3] = [
            text("Only on the second page", "Só na segunda página"),
            text("Hidden on the first page by another finding", "Escondidos na primeira página por outro achado"),
            text("Only on the first page", "Só na primeira página"),
        ];
        const REVEALED_IN_RUN: Text = text(
            "They existed before, hidden by a finding that is now fixed.",
            "Já existiam antes, escondidos por um achado que agora está corrigido.",
        );
        const REVEALED_ON_PAGE: Text = text(
            "On the first page another finding prevents these checks from being measured.",
            "Na primeira página, outro achado impede a medição destas verificações.",
        );
        let is_one_page = compared.before.url == compared.after.url;
        let revealed = if is_one_page { REVEALED_IN_RUN } else { REVEALED_ON_PAGE };
        let (names, headings) = if is_one_page { (RUNS, OF_RUNS) } else { (PAGES, OF_PAGES) };
        let column = |name: Text, run: &'a ComparedRun| AuditColumn {
            name: name.in_lang(lang),
            url: (!is_one_page).then_some(run.url.as_str()),
            audit_id: &run.audit_id,
            created_at: minute(run.created_at, lang),
            score: run.score,
            band: run.score.map_or("", |score| Band::of(score).class()),
        };
        let [first, second] = names;
        Self {
            sides: [column(first, &compared.before), column(second, &compared.after)],
            summary: summary(compared, is_one_page, lang),
            lab: compared.lab.iter().map(|change| LabRows::of(change, lang)).collect(),
            headings: headings.map(|heading| heading.in_lang(lang)),
            revealed: revealed.in_lang(lang),
            page: is_one_page.then_some(compared.after.url.as_str()),
            compared,
            json,
            lang,
        }
    }

    pub(crate) fn word(&self, severity: &Severity) -> &'static str {
        severity_word(*severity).in_lang(self.lang)
    }
}

/// The result in words. The points count only what was measured on both, and so they are those of the findings below.
fn summary(compared: &Compared, is_one_page: bool, lang: Lang) -> [String; 2] {
    const RUNS: [Text; 4] = [
        text("The score rose by {points} {points|point|points}.", "A nota subiu {points} {points|ponto|pontos}."),
        text("The score fell by {points} {points|point|points}.", "A nota caiu {points} {points|ponto|pontos}."),
        text("The score did not change.", "A nota não mudou."),
        text(
            "{broke} {broke|finding is|findings are} new, {fixed} {fixed|is|are} fixed, {same} {same|remains|remain}.",
            "{broke} {broke|achado novo|achados novos}, {fixed} {fixed|corrigido|corrigidos}, {same} {same|continua|continuam}.",
        ),
    ];
    const PAGES: [Text; 4] = [
        text(
            "The second page scores {points} {points|point|points} more.",
            "A segunda página tem {points} {points|ponto|pontos} a mais.",
        ),
        text(
            "The second page scores {points} {points|point|points} less.",
            "A segunda página tem {points} {points|ponto|pontos} a menos.",
        ),
        text("Both pages score the same.", "As duas páginas têm a mesma nota."),
        text(
            "{broke} {broke|finding is|findings are} only on the second page, {fixed} only on the first, {same} on both.",
            "{broke} {broke|achado está|achados estão} só na segunda página, {fixed} só na primeira, {same} nas duas.",
        ),
    ];
    /// Where the scores differ by other points, as one of the two measured more, or ends at 0.
    const PARTS_OF_RUNS: [Text; 3] = [
        text(
            "By the checks that both audits measured, the page gained {points} {points|point|points}.",
            "Pelas verificações medidas nas duas auditorias, a página ganhou {points} {points|ponto|pontos}.",
        ),
        text(
            "By the checks that both audits measured, the page lost {points} {points|point|points}.",
            "Pelas verificações medidas nas duas auditorias, a página perdeu {points} {points|ponto|pontos}.",
        ),
        text(
            "By the checks that both audits measured, the page neither gained nor lost points.",
            "Pelas verificações medidas nas duas auditorias, a página não ganhou nem perdeu pontos.",
        ),
    ];
    const PARTS_OF_PAGES: [Text; 3] = [
        text(
            "By the checks measured on both, the second page has {points} {points|point|points} more.",
            "Pelas verificações medidas nas duas, a segunda página tem {points} {points|ponto|pontos} a mais.",
        ),
        text(
            "By the checks measured on both, the second page has {points} {points|point|points} less.",
            "Pelas verificações medidas nas duas, a segunda página tem {points} {points|ponto|pontos} a menos.",
        ),
        text(
            "By the checks measured on both, the pages have the same points.",
            "Pelas verificações medidas nas duas, as páginas têm os mesmos pontos.",
        ),
    ];
    let [more, less, equal, counts] = if is_one_page { RUNS } else { PAGES };
    let of_parts = if is_one_page { PARTS_OF_RUNS } else { PARTS_OF_PAGES };
    let change = &compared.change;
    let of_scores = compared.before.score.zip(compared.after.score);
    let score = change.score.map(|points| {
        let is_all = of_scores.is_some_and(|(before, after)| before.checked_add_signed(points) == Some(after));
        let [more, less, equal] = if is_all { [more, less, equal] } else { of_parts };
        let words = match points {
            1.. => more,
            0 => equal,
            _ => less,
        };
        words.phrase(&[("points", points.unsigned_abs().into())]).in_lang(lang).to_owned()
    });
    let values = [
        ("broke", change.broke.len().into()),
        ("fixed", change.fixed.len().into()),
        ("same", compared.unchanged.len().into()),
    ];
    [score.unwrap_or_default(), counts.phrase(&values).in_lang(lang).to_owned()]
}

impl LabRows {
    fn of(change: &LabChange, lang: Lang) -> Self {
        let text = |score: Option<u32>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
        let scores = lab::scores(&change.before, lang).into_iter().zip(lab::scores(&change.after, lang));
        let difference = |before: Option<u32>, after: Option<u32>| {
            let points = |score: Option<u32>| i32::try_from(score?).ok();
            let points = points(before).zip(points(after)).map(|(before, after)| after.saturating_sub(before));
            points.map_or_else(String::new, signed)
        };
        let scores =
            scores.map(|((name, before), (_, after))| (name, [text(before), text(after), difference(before, after)]));
        Self {
            name: lab::strategy(change.strategy).in_lang(lang),
            rows: scores.chain(lab::pairs(&change.metrics, lang)).collect(),
        }
    }
}
