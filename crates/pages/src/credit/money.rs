//! Amounts of reais for people.

use model::lang::Lang;

/// An amount of reais as people write it.
pub(super) fn reais(centavos: u64, lang: Lang) -> String {
    let (whole, rest) = (centavos / 100, centavos % 100);
    match lang {
        Lang::En => format!("R${whole}.{rest:02}"),
        Lang::PtBr => format!("R$ {whole},{rest:02}"),
    }
}
