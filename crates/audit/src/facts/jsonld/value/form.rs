//! What properties of schema.org ask of their values, and what is wrong with a value that is something else.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::lang::{Text, text};

/// Forms by property; the file says what its columns mean.
pub(super) const FORMS: &str = include_str!("../../../data/value_forms.tsv");

/// What a property asks of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// An ISO 8601 date, with or without time.
    Date,
    /// An ISO 8601 duration.
    Duration,
    /// Digits with a point.
    Price,
    /// An ISO 4217 code.
    Currency,
    /// A member of an enumeration.
    Member,
    /// An absolute http(s) address.
    Address,
    /// A number between the worst and the best rating.
    Rating,
    /// 1 for the first of a list, and so on.
    Position,
    /// Degrees of latitude or longitude.
    Degrees,
    /// A trade item number with its check digit.
    Gtin,
}

/// The forms of the table, by property.
pub(super) static BY_PROPERTY: LazyLock<BTreeMap<&'static str, ValueForm>> = LazyLock::new(forms);

fn forms() -> BTreeMap<&'static str, ValueForm> {
    let mut out = BTreeMap::new();
    let lines = FORMS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    for (word, properties) in lines {
        let form = match word {
            "date" => ValueForm::Date,
            "duration" => ValueForm::Duration,
            "price" => ValueForm::Price,
            "currency" => ValueForm::Currency,
            "address" => ValueForm::Address,
            _ => continue,
        };
        out.extend(properties.split(' ').map(|property| (property, form)));
    }
    out
}

impl ValueForm {
    /// What is wrong with the first of some values, and how many there are.
    pub(crate) fn message(self) -> Text {
        match self {
            Self::Date => text(
                "{property} is not an ISO 8601 date: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é uma data ISO 8601: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Duration => text(
                "{property} is not an ISO 8601 duration: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é uma duração ISO 8601: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Price => text(
                "{property} is not a number with a decimal point: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é um número com ponto decimal: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Currency => text(
                "{property} is not an ISO 4217 currency code: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é um código de moeda ISO 4217: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Member => text(
                "{property} is not one of the allowed values: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é um dos valores permitidos: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Address => text(
                "{property} is not an absolute http(s) URL: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é uma URL http(s) absoluta: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Rating => text(
                "{property} is not a number on the rating scale: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é um número na escala da nota: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Position => text(
                "{property} is not counted from 1: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é contada a partir de 1: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Degrees => text(
                "{property} is not a valid coordinate: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é uma coordenada válida: {value}{count|| ({count} valores inválidos no total)}.",
            ),
            Self::Gtin => text(
                "{property} is not a GTIN with a valid check digit: {value}{count|| ({count} invalid values in total)}.",
                "{property} não é um GTIN com dígito verificador válido: {value}{count|| ({count} valores inválidos no total)}.",
            ),
        }
    }
}
