//! Metadata of the page of a shared report, for search engines and social networks.

use model::id::Slug;
use model::lang::{Lang, Text, text};
use url::Url;

use super::shown::{Eyes, Shown};
use crate::address::Addresses;
use crate::card::{Card, CardSubject, Picture};
use crate::reader::Reader;
use render::shown;
use service::Services;
use service::shares::report_path;

/// Metadata and addresses of a shared report; `None` for other reports.
pub(super) fn public(services: &Services, reader: Reader, shown: &Shown<'_>) -> Option<(Card, Addresses)> {
    const TITLE: Text = text("SEO audit of {host}: {score}/100", "Auditoria de SEO de {host}: {score}/100");
    const DESCRIPTION: Text = text(
        "Technical SEO audit of {host} on {date}: score {score} of 100, {errors} {errors|error|errors}, {warnings} {warnings|warning|warnings}, and the fix for each.",
        "Auditoria técnica de SEO de {host} em {date}: nota {score} de 100, {errors} {errors|erro|erros}, {warnings} {warnings|aviso|avisos}, e a correção de cada um.",
    );
    const ALT: Text = text("Score {score} of 100 for {host} on {date}", "Nota {score} de 100 para {host} em {date}");
    const UNREACHED_TITLE: Text =
        text("SEO audit of {host}: page can't be reached", "Auditoria de SEO de {host}: página inacessível");
    const UNREACHED: Text = text(
        "On {date} the page of {host} could not be reached, so nothing was audited.",
        "Em {date} não foi possível acessar a página de {host}, então nada foi auditado.",
    );
    let Eyes::Anybody { slug } = shown.eyes else { return None };
    let lang = reader.lang;
    let report = shown.report;
    let host = Url::parse(&report.url).ok().and_then(|url| Some(shown::host(url.host_str()?)));
    let values = [
        ("host", host.unwrap_or_default().into()),
        ("score", report.score.into()),
        ("errors", report.counts.errors.into()),
        ("warnings", report.counts.warnings.into()),
        ("date", shown::date(shown.created_at, lang).into()),
    ];
    let written = |text: Text| text.phrase(&values).in_lang(lang).to_owned();
    let (title, description, alt) = match &report.summary {
        Some(_) => (TITLE, DESCRIPTION, ALT),
        None => (UNREACHED_TITLE, UNREACHED, UNREACHED_TITLE),
    };
    let (title, path) = (written(title), report_path(slug));
    let addresses = Addresses::new(services, &path, shown.query, lang);
    let subject =
        CardSubject { kind: "WebPage", title: &[&title], description: &written(description), way: &[(&title, path)] };
    let picture = Picture { path: picture_path(slug, lang), alt: written(alt) };
    Some((Card::new(services, &addresses, lang, &subject).with_picture(services, picture), addresses))
}

/// Path of the picture of a shared audit.
fn picture_path(slug: &Slug, lang: Lang) -> String {
    format!("/og/{slug}.png?lang={}", lang.tag())
}
