//! Words that several outputs share.

use audit::checks;
use model::finding::Severity;
use model::lang::{Lang, Text, text};
use site::{FoldedFinding, Scope};

/// How bad a finding is, for a person.
pub(super) fn severity(severity: Severity) -> Text {
    match severity {
        Severity::Error => text("Error", "Erro"),
        Severity::Warn => text("Warning", "Aviso"),
        Severity::Info => text("Note", "Nota"),
    }
}

/// What a folded finding is, as a heading.
pub(super) fn title(finding: &FoldedFinding, lang: Lang) -> &str {
    checks::find(&finding.code).map_or(&finding.code, |check| check.title.in_lang(lang))
}

/// Where a folded finding is, and where to fix it.
pub(super) fn place(finding: &FoldedFinding, lang: Lang) -> String {
    const SITE: Text = text(
        "On {count} of {of} pages of the site: fix it once for all.",
        "Em {count} de {of} páginas do site: corrija uma vez para todas.",
    );
    const TEMPLATE: Text = text(
        "On {count} of {of} pages of the template of {name}: fix it in the template.",
        "Em {count} de {of} páginas do modelo de {name}: corrija no modelo.",
    );
    const PAGES: Text = text("On {count} {count|page|pages}.", "Em {count} {count|página|páginas}.");
    let values = |name: &str| [("count", finding.total.into()), ("of", finding.of.into()), ("name", name.into())];
    let phrase = match &finding.scope {
        Scope::Site => SITE.phrase(&values("")),
        Scope::Template(name) => TEMPLATE.phrase(&values(name)),
        Scope::Pages => PAGES.phrase(&values("")),
    };
    phrase.in_lang(lang).to_owned()
}

/// What a fix gains; nothing where that is less than a tenth of a point.
pub(super) fn gain(points: f64, lang: Lang) -> String {
    if points < 0.1 {
        return String::new();
    }
    let number = format!("+{points:.1}");
    match lang {
        Lang::En => number,
        Lang::PtBr => number.replace('.', ","),
    }
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
        "limit" => text("the run's limits left pages out", "os limites da execução deixaram páginas de fora"),
        "not_asked" => text("the run did not ask for it", "a execução não pediu isso"),
        "sitemap" => text("a sitemap could not be read", "um sitemap não pôde ser lido"),
        _ => text("the site has nothing of the kind", "o site não tem nada do tipo"),
    }
}
