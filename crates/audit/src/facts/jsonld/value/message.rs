//! What is wrong with a value, by the form that its property asks for.

use model::lang::{Text, text};

use super::ValueForm;

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
