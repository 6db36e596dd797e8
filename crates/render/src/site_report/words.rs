//! Words that several outputs share.

use model::lang::{Lang, Phrase, Text, text};
use site::{RunLimit, SiteReport};

/// How the options of a run are named to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionNames {
    /// As the command line takes them: `--max-pages`.
    CommandLine,
    /// As the service takes them: `max_pages`.
    Service,
}

/// What a fix gains; nothing where that is less than a tenth of a point.
pub fn gain(points: f64, lang: Lang) -> String {
    if points < 0.1 {
        return String::new();
    }
    const GAIN: Text = text("+{points} points", "+{points} pontos");
    const ONE: Text = text("+{points} point", "+{points} ponto");
    let words = if points == 1.0 { ONE } else { GAIN };
    // "+18", not "+18.0".
    let decimals = usize::from((points - points.round()).abs() >= 0.05);
    words.phrase(&[("points", decimal(points, decimals, lang).into())]).in_lang(lang).to_owned()
}

/// A number of few digits with so many decimals, as the language writes it.
pub(super) fn decimal(number: f64, decimals: usize, lang: Lang) -> String {
    let number = format!("{number:.decimals$}");
    match lang {
        Lang::En => number,
        Lang::PtBr => number.replace('.', ","),
    }
}

/// A count with separators of thousands.
pub(super) fn count(number: usize, lang: Lang) -> String {
    const COUNT: Text = text("{count}", "{count}");
    COUNT.phrase(&[("count", number.into())]).in_lang(lang).to_owned()
}

/// Which limits left pages out, with the option that raises each; a sentence each.
pub(super) fn limits<T>(report: &SiteReport<T>, names: OptionNames) -> Vec<Phrase> {
    const PAGES: Text = text(
        "The limit on pages left pages out. Raise {option} to audit them.",
        "O limite de páginas deixou páginas de fora. Aumente {option} para auditá-las.",
    );
    const DEPTH: Text = text(
        "The limit on clicks from the first page left pages out. Raise {option} to audit them.",
        "O limite de cliques a partir da primeira página deixou páginas de fora. Aumente {option} para auditá-las.",
    );
    let option = |sentence: Text, command_line: &str, service: &str| {
        let name = if names == OptionNames::CommandLine { command_line } else { service };
        sentence.phrase(&[("option", name.into())])
    };
    let sentence = |limit: &RunLimit| match limit {
        RunLimit::Pages => option(PAGES, "--max-pages", "max_pages"),
        RunLimit::Depth => option(DEPTH, "--max-depth", "max_depth"),
        RunLimit::Links => text(
            "A page has more links than the limit for one page, so pages may be missing.",
            "Uma página tem mais links do que o limite por página, por isso podem faltar páginas.",
        )
        .into(),
        RunLimit::Sitemaps => text(
            "The site has more sitemaps than one audit reads, so pages that only those list may be missing.",
            "O site tem mais sitemaps do que uma auditoria lê, e páginas listadas só neles podem ter ficado de fora.",
        )
        .into(),
        RunLimit::Resources => text(
            "The pages have more images or links to other sites than one audit checks.",
            "As páginas têm mais imagens ou links para outros sites do que uma auditoria verifica.",
        )
        .into(),
    };
    report.limits.iter().map(sentence).collect()
}

/// What limits the report besides its limits, a sentence each: a first page that was not audited, sitemaps not read.
pub(super) fn gaps<T>(report: &SiteReport<T>, lang: Lang) -> Vec<String> {
    const START: Text = text(
        "The first page was not audited (response: {answer}). Clicks are counted from it, so no page has a depth.",
        "A primeira página não foi auditada (resposta: {answer}). Os cliques são contados a partir dela, e nenhuma página tem profundidade.",
    );
    const UNREAD: Text =
        text("The sitemap {url} could not be read to its end.", "O sitemap {url} não pôde ser lido até o fim.");
    let start = report.start_answer.filter(|word| *word != "page" && report.score.is_some());
    let start = start.map(|word| START.phrase(&[("answer", answer(word).in_lang(lang).into())]));
    let unread = report.unread_sitemaps.iter().map(|url| UNREAD.phrase(&[("url", url.as_str().into())]));
    start.into_iter().chain(unread).map(|phrase| phrase.in_lang(lang).to_owned()).collect()
}

/// What an address answered, for a person.
pub(super) fn answer(word: &str) -> Text {
    match word {
        "page" => text("Pages", "Páginas"),
        "redirect" => text("Redirects", "Redirecionamentos"),
        "client_error" => text("Not found and other 4xx", "Não encontradas e outros 4xx"),
        "server_error" => text("Server errors (5xx)", "Erros de servidor (5xx)"),
        "no_response" => text("No response", "Sem resposta"),
        "blocked" => text("Blocked by robots.txt", "Bloqueadas pelo robots.txt"),
        _ => text("Other files", "Outros arquivos"),
    }
}

/// Why a check of the site was not measured, for a person.
pub(super) fn unmeasured(word: &str) -> Text {
    match word {
        "limit" => text("the limits of the audit left pages out", "os limites da auditoria deixaram páginas de fora"),
        "not_asked" => text("not requested in this audit", "não foi pedido nesta auditoria"),
        "sitemap" => text("a sitemap could not be read", "um sitemap não pôde ser lido"),
        _ => text("not applicable to this site", "não se aplica a este site"),
    }
}
