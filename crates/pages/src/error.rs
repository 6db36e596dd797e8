//! Error pages.

use api::response::{of_error, status};
use askama::Template;
use axum::response::Response;

use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use model::lang::{Lang, Text, text};
use service::Services;
use service::error::ServiceError;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    status: u16,
    sentence: &'static str,
    detail: Option<&'a str>,
    /// How long to wait, in a sentence.
    wait: Option<String>,
}

/// The page of an error.
pub(crate) fn page(services: &Services, error: &ServiceError, reader: Reader) -> Response {
    let lang = reader.lang;
    let page = ErrorPage {
        frame: Frame::new(services, reader),
        status: error.code.status(),
        sentence: without_later(error, error.code.sentence().in_lang(lang)),
        wait: wait(error, lang),
        detail: error.detail.as_ref().map(|detail| detail.in_lang(lang)),
    };
    let mut response = html(status(error), &page, lang);
    of_error(response.headers_mut(), error, services.is_https());
    private(response)
}

/// What is wrong with a form, which is shown again with what was typed.
#[derive(Debug)]
pub(crate) struct FormProblem {
    pub(crate) sentence: String,
    /// Name of the field that it is about; empty where it is about none of them.
    field: &'static str,
}

impl FormProblem {
    /// Of a form with these `fields`: the detail of an error begins with the name of the one that it is about.
    pub(crate) fn of(error: &ServiceError, fields: &[&'static str], lang: Lang) -> Self {
        let start = error.detail.as_ref().and_then(|detail| detail.en.split_once(": "));
        let named = start.and_then(|(start, _)| fields.iter().find(|field| **field == start));
        Self { sentence: message(error, lang), field: named.copied().unwrap_or_default() }
    }

    /// About one field.
    pub(crate) fn at(field: &'static str, sentence: String) -> Self {
        Self { sentence, field }
    }

    /// About another field where it is about none.
    pub(crate) fn or_at(self, field: &'static str) -> Self {
        if self.field.is_empty() { Self { field, ..self } } else { self }
    }

    /// Whether it is about a field; about none, for an empty name.
    pub(crate) fn is_at(&self, field: &str) -> bool {
        self.field == field
    }
}

/// The message of an error for a person at a form, with how long to wait where that is known.
pub(crate) fn message(error: &ServiceError, lang: Lang) -> String {
    timed(error, error.message_for_person(lang), error.sentence().in_lang(lang), lang)
}

/// The sentence of an error's code, without details, and with how long to wait where that is known.
pub(crate) fn sentence(error: &ServiceError, lang: Lang) -> String {
    let sentence = error.code.sentence().in_lang(lang);
    timed(error, sentence.to_owned(), sentence, lang)
}

/// A message with how long to wait. Its `sentence` may have a detail behind it.
fn timed(error: &ServiceError, message: String, sentence: &str, lang: Lang) -> String {
    let Some(wait) = wait(error, lang) else { return message };
    let message = match sentence.strip_prefix(without_later(error, sentence)) {
        Some(later) if !later.is_empty() => message.replacen(later, "", 1),
        _ => message,
    };
    format!("{message} {wait}")
}

/// When to try again; `None` where that is not known.
fn wait(error: &ServiceError, lang: Lang) -> Option<String> {
    const AGAIN: Text = text("Try again in {time}.", "Tente de novo em {time}.");
    let time = duration(error.retry_after?, lang);
    Some(AGAIN.phrase(&[("time", time.into())]).in_lang(lang).to_owned())
}

/// A sentence of an error without its vague end (“Try again later.”) where it is known how long to wait.
fn without_later<'s>(error: &ServiceError, sentence: &'s str) -> &'s str {
    const AGAIN: [&str; 2] = ["Try again ", "Tente "];
    let Some((_, last)) = sentence.rsplit_once(". ") else { return sentence };
    if error.retry_after.is_none() || !AGAIN.iter().any(|again| last.starts_with(again)) {
        return sentence;
    }
    sentence.strip_suffix(last).unwrap_or(sentence).trim_end()
}

/// Seconds as people say them, rounded up: a wait that is too short is asked for twice.
fn duration(seconds: u32, lang: Lang) -> String {
    let (count, one, many) = match seconds {
        0..120 => (seconds, "second", "seconds"),
        120..7_200 => (seconds.div_ceil(60), "minute", "minutes"),
        _ => (seconds.div_ceil(3_600), "hour", "hours"),
    };
    let word = match (lang, if count == 1 { one } else { many }) {
        (Lang::PtBr, "second") => "segundo",
        (Lang::PtBr, "seconds") => "segundos",
        (Lang::PtBr, "minutes") => "minutos",
        (Lang::PtBr, "hours") => "horas",
        (_, word) => word,
    };
    format!("{count} {word}")
}

#[cfg(test)]
mod tests {
    use service::error::Code;

    use super::*;

    #[test]
    fn a_wait_is_told_in_the_largest_unit_that_fits() {
        let told = [1, 90, 121, 7_199, 7_201].map(|seconds| duration(seconds, Lang::En));
        assert_eq!(told, ["1 second", "90 seconds", "3 minutes", "120 minutes", "3 hours"]);
        assert_eq!(duration(1, Lang::PtBr), "1 segundo");
    }

    #[test]
    fn a_problem_is_shown_at_the_field_that_its_detail_names() {
        let error = ServiceError::new(Code::InvalidBody).explained(text("note: is too long", "note: é longa").into());
        let problem = FormProblem::of(&error, &["alias", "note"], Lang::PtBr);
        assert_eq!((problem.sentence.as_str(), problem.is_at("note"), problem.is_at("")), ("É longa.", true, false));
        let elsewhere = FormProblem::of(&error, &["alias"], Lang::En);
        assert!(elsewhere.is_at("") && elsewhere.or_at("url").is_at("url"));
    }

    #[test]
    fn a_known_wait_stands_in_the_place_of_later() {
        let error = ServiceError::new(Code::RateLimited).retry_after(2_460);
        assert_eq!(message(&error, Lang::En), "Your network sent too many requests. Try again in 41 minutes.");
        assert_eq!(message(&error, Lang::PtBr), "A sua rede fez requisições demais. Tente de novo em 41 minutos.");
        assert_eq!(
            sentence(&error.detail("url"), Lang::En),
            "Your network sent too many requests. Try again in 41 minutes."
        );
        let unknown = ServiceError::new(Code::RateLimited);
        assert_eq!(message(&unknown, Lang::En), "Your network sent too many requests. Try again later.");
    }

    #[test]
    fn no_message_says_both_when_and_later() {
        let waiting = Code::ALL.iter().filter(|code| matches!(code.status(), 429 | 503));
        for (code, lang) in waiting.flat_map(|code| [(*code, Lang::En), (*code, Lang::PtBr)]) {
            let error = ServiceError::new(code).retry_after(60);
            let explained = error.clone().explained(text("one two", "um dois").into());
            for error in [error.clone().detail("url"), explained, error] {
                let told = message(&error, lang);
                let again = if lang == Lang::En { "Try again in 60 seconds." } else { "Tente de novo em 60 segundos." };
                assert!(told.ends_with(again) && !told.contains("  "), "{code:?}: {told}");
                for vague in ["later", "in a moment", "tomorrow", "mais tarde", "instantes", "amanhã"] {
                    assert!(!told.contains(vague), "{code:?}: {told}");
                }
            }
        }
    }
}
