//! The embeddable widget: its options, and the snippet for a page.

use model::lang::{Text, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Operation, WrittenJson};
use service::caller::Cx;
use service::error::ServiceError;
use service::widget::{BRAND_CHARACTERS, LOADER_PATH, WIDTHS, Widget, WidgetOptions, WidgetTheme};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/embed", "get_embed", embed).title("Get an embed snippet", "Obter o código do widget").doc(
            "HTML that adds an audit widget to your page: an address field, then score, counts, the worst findings \
             and a link to the full report. It audits from the visitor's network and uses its daily allowance. It \
             asks for no email and sets no cookie. Invalid options fall back to defaults, as `config` shows.",
            "HTML que põe um widget de auditoria na sua página: um campo de endereço e, depois, nota, contagens, os \
             piores achados e um link para o relatório completo. Ele audita a partir da rede do visitante e usa a \
             franquia diária dela. Não pede e-mail e não define cookies. Opções inválidas voltam ao padrão, como \
             `config` mostra.",
        ),
    ]
}

/// What the widget should look like. Everything may be left out, and what is no good is as if it were.
#[derive(Debug, Deserialize, JsonSchema)]
struct EmbedQuery {
    /// The heading, in plain text; cut after 40 characters. Default: the product's name.
    #[schemars(extend("x-pt" = "O título, em texto simples; cortado após 40 caracteres. Padrão: o nome do produto."))]
    #[serde(default)]
    brand: Option<String>,
    /// Of the button: `#rgb` or `#rrggbb`. Default: the product's own.
    #[schemars(extend("x-pt" = "A cor do botão: `#rgb` ou `#rrggbb`. Padrão: a cor do produto."))]
    #[serde(default)]
    color: Option<String>,
    /// `auto`, `light` or `dark`. Default: `auto`, as the visitor's system says.
    #[schemars(extend("x-pt" = "`auto`, `light` ou `dark`. Padrão: `auto`, conforme o sistema do visitante."))]
    #[serde(default)]
    theme: Option<String>,
    /// An http or https URL that the address field holds at first.
    #[schemars(extend("x-pt" = "Uma URL http ou https que o campo de endereço mostra no início."))]
    #[serde(default)]
    url: Option<String>,
}

/// The widget, and its snippet for a page.
#[derive(Debug, Serialize, JsonSchema)]
struct Embed {
    /// The options in effect, with defaults in place of invalid ones.
    config: EmbedConfig,
    /// Address of the widget with these options.
    current: EmbedAddresses,
    /// A script element and a link for readers without scripts.
    snippet: String,
    /// Limits of the widget.
    limits: EmbedLimits,
}

/// Options in effect.
#[derive(Debug, Serialize, JsonSchema)]
struct EmbedConfig {
    /// The heading.
    brand: String,
    /// Colour of the button, `#rrggbb`.
    color: String,
    /// Light, dark, or the visitor's system setting.
    theme: WidgetTheme,
    /// Initial value of the address field.
    url: Option<String>,
}

/// Absolute addresses of the widget.
#[derive(Debug, Serialize, JsonSchema)]
struct EmbedAddresses {
    /// The widget itself, for an iframe of your own.
    widget: String,
    /// The script that makes the iframe and sizes it.
    loader: String,
}

/// Limits of the widget.
#[derive(Debug, Serialize, JsonSchema)]
struct EmbedLimits {
    /// Characters of a brand.
    brand_characters: usize,
    /// Narrowest, in CSS pixels.
    min_width: u32,
    /// Widest, in CSS pixels.
    max_width: u32,
    /// Free audits per visitor's network and day.
    free_per_day: u32,
}

async fn embed(cx: Cx, input: EmbedQuery) -> Result<WrittenJson<Embed>, ServiceError> {
    const LINK: Text = text("Audit a page with {product}", "Auditar uma página com {product}");
    let services = &cx.services;
    let EmbedQuery { brand, color, theme, url } = &input;
    let options = WidgetOptions {
        brand: brand.as_deref(),
        color: color.as_deref(),
        theme: theme.as_deref(),
        url: url.as_deref(),
    };
    let widget = Widget::new(services, options);
    let link = LINK.phrase(&[("product", services.config().product.name.as_str().into())]);
    let [min_width, max_width] = WIDTHS;
    WrittenJson::spoken(&Embed {
        current: EmbedAddresses { widget: widget.address(services), loader: services.url(LOADER_PATH) },
        snippet: widget.snippet(services, link.in_lang(cx.lang)),
        limits: EmbedLimits {
            brand_characters: BRAND_CHARACTERS,
            min_width,
            max_width,
            free_per_day: services.config().limits.free_audits_per_day,
        },
        config: EmbedConfig {
            color: widget.color(),
            theme: widget.theme,
            url: widget.url.as_ref().map(ToString::to_string),
            brand: widget.brand,
        },
    })
}
