//! What properties of schema.org ask of their values, and what is wrong with a value that is something else.

use std::collections::BTreeMap;

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
pub(super) fn forms() -> BTreeMap<&'static str, ValueForm> {
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
                "{property} {value} is no ISO 8601 date ({count} wrong {count|value|values} in all).",
                "{property} {value} não é uma data ISO 8601 ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Duration => text(
                "{property} {value} is no ISO 8601 duration ({count} wrong {count|value|values} in all).",
                "{property} {value} não é uma duração ISO 8601 ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Price => text(
                "{property} {value} is not written as digits with a point ({count} wrong {count|value|values} in all).",
                "{property} {value} não está escrito como dígitos com ponto ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Currency => text(
                "{property} {value} is no ISO 4217 currency ({count} wrong {count|value|values} in all).",
                "{property} {value} não é uma moeda ISO 4217 ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Member => text(
                "{property} {value} is none of the values that are defined for it ({count} wrong {count|value|values} in all).",
                "{property} {value} não é um dos valores definidos para ela ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Address => text(
                "{property} {value} is no absolute http(s) address ({count} wrong {count|value|values} in all).",
                "{property} {value} não é um endereço http(s) absoluto ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Rating => text(
                "{property} {value} is no number on the scale of the rating ({count} wrong {count|value|values} in all).",
                "{property} {value} não é um número na escala da nota ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Position => text(
                "{property} {value} does not count its list from 1 ({count} wrong {count|value|values} in all).",
                "{property} {value} não numera sua lista a partir de 1 ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Degrees => text(
                "{property} {value} is no place on the globe ({count} wrong {count|value|values} in all).",
                "{property} {value} não é um lugar no globo ({count} {count|valor errado|valores errados} ao todo).",
            ),
            Self::Gtin => text(
                "{property} {value} is no trade item number with a right check digit ({count} wrong {count|value|values} in all).",
                "{property} {value} não é um GTIN com dígito verificador certo ({count} {count|valor errado|valores errados} ao todo).",
            ),
        }
    }
}
