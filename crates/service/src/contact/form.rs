//! A contact form as it was sent, and the message that it is.

use model::lang::{Text, text};
use render::mail::contact::ContactMessage;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::fields::{self, BUDGETS, Choice, DURATIONS, KINDS, MEANS, MESSAGE_CHARS, NAME_CHARS, TEXT_CHARS, of_word};
use crate::accounts::address::Address;
use crate::error::{Code, ServiceError};

/// Placements of a proposal at most.
const MOST_PLACEMENTS: usize = 6;

/// A message to the team. Every value is read as it comes, so that the error of a field has that field's code, whatever
/// is wrong with it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["name", "email", "message"]))]
pub struct ContactForm {
    /// Your name: 1 to 120 characters, without control characters.
    #[schemars(with = "String", length(min = 1, max = 120))]
    pub name: Value,
    /// Your e-mail address, where the answer goes.
    #[schemars(with = "String", length(max = 254))]
    pub email: Value,
    /// The message: 1 to 8,000 characters, without control characters except line breaks.
    #[schemars(with = "String", length(min = 1, max = 8000))]
    pub message: Value,
    /// Kind of proposal. Without it the fields below are ignored.
    #[serde(rename = "tipo")]
    #[schemars(schema_with = "fields::kinds")]
    pub kind: Value,
    /// Your company: at most 200 characters.
    #[serde(rename = "empresa")]
    #[schemars(with = "String", length(max = 200))]
    pub company: Value,
    /// The address of your site: at most 200 characters.
    #[schemars(with = "String", length(max = 200))]
    pub site: Value,
    /// Budget in US dollars.
    #[serde(rename = "orcamento")]
    #[schemars(schema_with = "fields::budgets")]
    pub budget: Value,
    /// Ids of placements: at most 6.
    #[serde(rename = "espaco")]
    #[schemars(with = "Vec<String>", length(max = 6))]
    pub placements: Value,
    /// Number of days.
    #[serde(rename = "duracao")]
    #[schemars(schema_with = "fields::durations")]
    pub duration: Value,
    /// Means of payment.
    #[serde(rename = "pagamento")]
    #[schemars(schema_with = "fields::means")]
    pub payment: Value,
}

impl ContactForm {
    /// The message; the error of the first field that can't be taken, in the order of the fields. `placements`: the ids that
    /// there are.
    pub(super) fn message(&self, placements: &[&str]) -> Result<ContactMessage, ServiceError> {
        let name = line(&self.name, NAME_CHARS).flatten();
        let name = name.ok_or_else(|| ServiceError::new(Code::InvalidName))?;
        let email = self.email.as_str().ok_or_else(|| ServiceError::new(Code::InvalidEmail))?;
        let email = Address::parse(email)?.typed;
        let message = body(&self.message).ok_or_else(|| ServiceError::new(Code::InvalidMessage))?;
        let kind = chosen(&self.kind, &KINDS, Code::InvalidProposal)?;
        let details = if kind.is_some() { self.details(placements)? } else { Vec::new() };
        Ok(ContactMessage { name, email, message, kind: kind.map(|kind| kind.label), details })
    }

    /// The details of a proposal.
    fn details(&self, known: &[&str]) -> Result<Vec<(Text, String)>, ServiceError> {
        const COMPANY: Text = text("Company", "Empresa");
        const SITE: Text = text("Site", "Site");
        const BUDGET: Text = text("Budget", "Orçamento");
        const PLACEMENTS: Text = text("Placements", "Espaços");
        const DURATION: Text = text("Days", "Dias");
        const PAYMENT: Text = text("Payment", "Pagamento");
        let refused = |code: Code| move || ServiceError::new(code);
        let company = line(&self.company, TEXT_CHARS).ok_or_else(refused(Code::InvalidCompany))?;
        let site = line(&self.site, TEXT_CHARS).ok_or_else(refused(Code::InvalidSite))?;
        let budget = chosen(&self.budget, &BUDGETS, Code::InvalidBudget)?;
        let placements = ids(&self.placements).filter(|ids| ids.iter().all(|id| known.contains(&id.as_str())));
        let placements = placements.ok_or_else(refused(Code::InvalidPlacements))?;
        let duration = match &self.duration {
            Value::Number(days) => chosen(&Value::String(days.to_string()), &DURATIONS, Code::InvalidDuration)?,
            other => chosen(other, &DURATIONS, Code::InvalidDuration)?,
        };
        let payment = chosen(&self.payment, &MEANS, Code::InvalidMeans)?;
        let word = |choice: Option<&Choice>| choice.map(|choice| choice.word.to_owned());
        let details = [
            (COMPANY, company),
            (SITE, site),
            (BUDGET, word(budget)),
            (PLACEMENTS, (!placements.is_empty()).then(|| placements.join(", "))),
            (DURATION, word(duration)),
            (PAYMENT, word(payment)),
        ];
        Ok(details.into_iter().filter_map(|(label, value)| Some((label, value?))).collect())
    }
}

/// A line of text without spaces around it: `Some(None)` where there is none, `None` where it can't be taken.
#[expect(clippy::option_option, reason = "no text, and one that can't be taken, are two things")]
fn line(value: &Value, most: usize) -> Option<Option<String>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) => {
            let text = text.trim();
            let is_line = text.chars().count() <= most && !text.chars().any(char::is_control);
            is_line.then(|| (!text.is_empty()).then(|| text.to_owned()))
        }
        _ => None,
    }
}

/// The text of a message, lines ending in LF; `None` where it can't be taken.
fn body(value: &Value) -> Option<String> {
    let text = value.as_str()?.replace("\r\n", "\n").replace('\r', "\n");
    let has_control = text.chars().any(|c| c.is_control() && c != '\n');
    let is_taken = !text.trim().is_empty() && text.chars().count() <= MESSAGE_CHARS && !has_control;
    is_taken.then_some(text)
}

/// The choice of a field; none for null and, as forms send what was left open, for an empty text.
fn chosen(value: &Value, choices: &'static [Choice], code: Code) -> Result<Option<&'static Choice>, ServiceError> {
    match value {
        Value::Null => Ok(None),
        Value::String(word) if word.is_empty() => Ok(None),
        Value::String(word) => of_word(choices, word).map(Some).ok_or_else(|| ServiceError::new(code)),
        _ => Err(ServiceError::new(code)),
    }
}

/// Ids of placements; `None` where they can't be taken.
fn ids(value: &Value) -> Option<Vec<String>> {
    let list = match value {
        Value::Null => return Some(Vec::new()),
        Value::Array(list) if list.len() <= MOST_PLACEMENTS => list,
        _ => return None,
    };
    list.iter().map(|id| id.as_str().map(|id| id.trim().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(change: &Value) -> Result<ContactMessage, &'static str> {
        let mut whole = json!({"name": " Ana ", "email": "ana@example.com", "message": "Hello"});
        whole.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let form: ContactForm = serde_json::from_value(whole).unwrap();
        form.message(&["hub", "report"]).map_err(|error| error.code.wire())
    }

    #[test]
    fn every_field_has_its_own_code() {
        let long = |count: usize| "ü".repeat(count);
        for (field, code, wrong) in [
            ("name", "invalid_name", vec![json!(null), json!(7), json!("  "), json!("a\nb"), json!(long(121))]),
            ("email", "invalid_email", vec![json!(null), json!(7), json!("ana"), json!("a@b.example, c@d.example")]),
            (
                "message",
                "invalid_message",
                vec![json!(null), json!([]), json!("\r\n"), json!("a\u{7}"), json!(long(8_001))],
            ),
            ("tipo", "invalid_tipo", vec![json!("gift"), json!(true)]),
            ("empresa", "invalid_empresa", vec![json!(1), json!(long(201)), json!("a\tb")]),
            ("site", "invalid_site", vec![json!([]), json!(long(201))]),
            ("orcamento", "invalid_orcamento", vec![json!("100"), json!(100)]),
            (
                "espaco",
                "invalid_espaco",
                vec![json!("hub"), json!([1]), json!(["other"]), json!([""]), json!(vec!["hub"; 7])],
            ),
            ("duracao", "invalid_duracao", vec![json!(31), json!("30 days"), json!(30.5)]),
            ("pagamento", "invalid_pagamento", vec![json!("cash"), json!({})]),
        ] {
            for value in wrong {
                let mut form = json!({"tipo": "parceria"});
                form[field] = value.clone();
                assert_eq!(read(&form), Err(code), "{field}: {value}");
            }
        }
    }

    #[test]
    fn the_first_wrong_field_counts() {
        let mut form = json!({"name": 1, "email": 1, "message": 1, "tipo": 1, "empresa": 1, "site": 1, "orcamento": 1,
            "espaco": 1, "duracao": 1, "pagamento": 1});
        for (field, right, next) in [
            ("name", json!("A"), "invalid_email"),
            ("email", json!("a@example.com"), "invalid_message"),
            ("message", json!("x"), "invalid_tipo"),
            ("tipo", json!("anuncio"), "invalid_empresa"),
            ("empresa", json!("A"), "invalid_site"),
            ("site", json!("example.com"), "invalid_orcamento"),
            ("orcamento", json!("ate_100"), "invalid_espaco"),
            ("espaco", json!(["hub"]), "invalid_duracao"),
            ("duracao", json!(90), "invalid_pagamento"),
        ] {
            form[field] = right;
            assert_eq!(read(&form), Err(next), "{form}");
        }
    }

    #[test]
    fn lengths_are_counted_in_characters_and_line_ends_once() {
        let long = format!("{}\r\nü", "ü".repeat(8_000 - 2));
        let message = read(&json!({"name": "ü".repeat(120), "message": long})).unwrap();
        assert_eq!(message.message.chars().count(), 8_000);
        assert_eq!(read(&json!({})).unwrap().name, "Ana");
    }

    #[test]
    fn details_are_read_with_a_proposal_only() {
        assert_eq!(read(&json!({"orcamento": 7, "tipo": ""})).unwrap().details, []);
        let whole = json!({"tipo": "patrocinio", "empresa": "Acme", "site": "", "orcamento": "100_500",
            "espaco": ["hub", "report"], "duracao": "365", "pagamento": "usdc"});
        let details = read(&whole).unwrap().details;
        let values: Vec<&str> = details.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["Acme", "100_500", "hub, report", "365", "usdc"]);
        let most = json!({"tipo": "parceria", "empresa": "ü".repeat(200), "espaco": vec!["hub"; 6]});
        assert!(read(&most).is_ok());
    }

    #[test]
    fn an_address_has_254_characters() {
        assert_eq!(fields::EMAIL_CHARS, 254);
        let domain = format!("@{}example", "a.".repeat(92));
        for (characters, code) in [(fields::EMAIL_CHARS, None), (fields::EMAIL_CHARS + 1, Some("invalid_email"))] {
            let email = format!("{}{domain}", "x".repeat(characters - domain.len()));
            assert_eq!(read(&json!({"email": email})).err(), code, "{characters}");
        }
    }
}
