//! The reliability of the service, by day, for everybody.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::lang::{Lang, Text, text};
use render::shown;
use service::Services;
use service::figures::{DayReliability, Reliability};
use service::statistics;

use crate::address::Addresses;
use crate::card::{Card, CardSubject};
use crate::filters;
use crate::frame::Frame;
use crate::plot::{Plot, number};
use crate::reader::Reader;
use crate::response::html;

/// Path of the page.
pub(super) const PATH: &str = "/status";

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    /// Names and values of 30 days; `None` while they can't be read.
    summary: Option<Vec<(&'static str, String)>>,
    plot: Plot,
}

const AVAILABILITY: Text = text("Availability", "Disponibilidade");
const MEDIAN: Text = text("Median time of an audit", "Tempo mediano de uma auditoria");
const P99: Text = text("Audit time, 99th percentile", "Tempo de uma auditoria, percentil 99");
const FAILED: Text = text("Failed responses", "Respostas com falha");

/// Shows it.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    const TITLE: Text = text("Status", "Situação");
    const DESCRIPTION: Text = text(
        "Reliability of this service over the last 30 days: availability, audit times and failed responses.",
        "Confiabilidade deste serviço nos últimos 30 dias: disponibilidade, tempo das auditorias e respostas com falha.",
    );
    let query = request.uri().query();
    let reader = Reader::of(request.headers(), query);
    let lang = reader.lang;
    let addresses = Addresses::new(&services, PATH, query, lang);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(title, PATH.to_owned())],
    };
    let figures = statistics::status(&services).await;
    let page = StatusPage {
        frame: Frame::new(&services, reader),
        card: Card::new(&services, &addresses, lang, &subject),
        addresses,
        summary: figures.as_ref().map(|figures| summary(&figures.total, lang).to_vec()),
        plot: plot(figures.as_ref().map(|figures| figures.days.as_slice()).unwrap_or_default(), lang),
    };
    html(StatusCode::OK, &page, lang)
}

/// Names and values of reliability, for people.
pub(super) fn summary(reliability: &Reliability, lang: Lang) -> [(&'static str, String); 4] {
    let [availability, median, p99, failed] = cells(reliability, lang);
    [(AVAILABILITY, availability), (MEDIAN, median), (P99, p99), (FAILED, failed)]
        .map(|(name, value)| (name.in_lang(lang), value))
}

fn cells(reliability: &Reliability, lang: Lang) -> [String; 4] {
    const NOT_MEASURED: Text = text("not measured", "não medido");
    let or_none = |value: Option<String>| value.unwrap_or_else(|| NOT_MEASURED.in_lang(lang).to_owned());
    let ms = |ms: Option<u64>| or_none(ms.map(|ms| format!("{} ms", number(ms, lang))));
    [
        or_none(reliability.availability.map(|share| percent(share, lang))),
        ms(reliability.median_ms),
        ms(reliability.p99_ms),
        or_none(reliability.errors_5xx.map(|share| percent(share, lang))),
    ]
}

/// A share for people, with two decimals at most: `99.87%`, `99,87%`.
pub(super) fn percent(share: f64, lang: Lang) -> String {
    let text = format!("{:.2}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if lang == Lang::PtBr { format!("{}%", text.replace('.', ",")) } else { format!("{text}%") }
}

fn plot(days: &[DayReliability], lang: Lang) -> Plot {
    const DAY: Text = text("Day", "Dia");
    const TITLE: Text = text("Availability by day", "Disponibilidade por dia");
    let rows = days.iter().map(|day| {
        let cells = std::iter::once(shown::short_date(day.day.start(), lang)).chain(cells(&day.reliability, lang));
        (cells.collect(), day.reliability.availability)
    });
    let heads = [DAY, AVAILABILITY, MEDIAN, P99, FAILED].map(|head| head.in_lang(lang)).to_vec();
    // Of a share the whole is the measure, not the best day.
    let whole = (1.0, percent(1.0, lang));
    Plot::up_to(whole, "availability", TITLE.in_lang(lang), heads, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read_in_percent() {
        for (share, en, pt) in
            [(1.0, "100%", "100%"), (0.9987, "99.87%", "99,87%"), (0.0, "0%", "0%"), (0.5, "50%", "50%")]
        {
            assert_eq!((percent(share, Lang::En).as_str(), percent(share, Lang::PtBr).as_str()), (en, pt));
        }
    }
}
