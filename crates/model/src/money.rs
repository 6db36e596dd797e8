//! Amounts of money, exact.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::lang::Value;

/// Millionths of a US dollar, never negative: the smallest unit of USDC. On the wire a number of dollars (`0.02`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Micros(pub u64);

/// Micros of one dollar.
const PER_DOLLAR: u32 = 1_000_000;
/// Most dollars of one amount; keeps every amount exact in a double.
const MOST_DOLLARS: f64 = 1_000_000.0;

impl Micros {
    /// So many whole dollars.
    pub fn of_dollars(dollars: u32) -> Self {
        Self(u64::from(dollars) * u64::from(PER_DOLLAR))
    }

    /// Reads an amount of dollars; `None` when it is negative, not a number, over a million, or finer than a millionth.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        if !(0.0..=MOST_DOLLARS).contains(&dollars) {
            return None;
        }
        let exact = dollars * f64::from(PER_DOLLAR);
        let micros = exact.round();
        // A double holds a million dollars in millionths to about 1e-10, so what is further off was finer.
        if (exact - micros).abs() > 1e-3 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0 and 1e12, and whole")]
        Some(Self(micros as u64))
    }

    /// The amount as texts for people fill it in: `{price}` with the point of English, `{preco}` with the comma of
    /// Portuguese, for "0.02 USD" and "US$ 0,02".
    pub fn values(self) -> [(&'static str, Value); 2] {
        let price = self.to_string();
        [("preco", price.replace('.', ",").into()), ("price", price.into())]
    }

    /// The amount in dollars, for people and for the wire.
    pub fn dollars(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "amounts stay below 2^53")]
        let micros = self.0 as f64;
        micros / f64::from(PER_DOLLAR)
    }
}

/// `0.02`: as few digits as the amount needs, at least two.
impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let per_dollar = u64::from(PER_DOLLAR);
        let text = format!("{}.{:06}", self.0 / per_dollar, self.0 % per_dollar);
        let (whole, cents) = text.split_at(text.len() - 4);
        write!(f, "{whole}{}", cents.trim_end_matches('0'))
    }
}

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::from_dollars(dollars).ok_or_else(|| {
            serde::de::Error::custom("expected an amount of dollars from 0 to 1000000, in whole millionths")
        })
    }
}

impl schemars::JsonSchema for Micros {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dollars".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "number", "minimum": 0})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::text;

    #[test]
    fn dollars_are_read_exactly_and_shown_with_cents() {
        for (dollars, micros, shown) in
            [(0.02, 20_000, "0.02"), (0.1, 100_000, "0.10"), (25.0, 25_000_000, "25.00"), (0.000_001, 1, "0.000001")]
        {
            assert_eq!(Micros::from_dollars(dollars), Some(Micros(micros)));
            assert_eq!(Micros(micros).to_string(), shown);
            assert!((Micros(micros).dollars() - dollars).abs() < f64::EPSILON);
        }
        assert_eq!(Micros::of_dollars(25), Micros(25_000_000));
        let asked = text("Pay {price} USD.", "Pague US$ {preco}.").phrase(&Micros(20_000).values());
        assert_eq!((asked.en.as_str(), asked.pt.as_str()), ("Pay 0.02 USD.", "Pague US$ 0,02."));
        for wrong in [-0.01, f64::NAN, f64::INFINITY, 1e7, 0.000_000_4] {
            assert_eq!(Micros::from_dollars(wrong), None, "{wrong}");
        }
    }
}
