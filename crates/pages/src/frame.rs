//! The frame of a page: what the layout shows around the content of every page.

use model::lang::Lang;
use model::time::Timestamp;
use render::shown;
use service::Services;

use crate::allowance::TRIAL;
use crate::assets;
use crate::done;
use crate::reader::Reader;
use crate::theme::Theme;

/// The frame of a page, for its template.
#[derive(Debug, Clone)]
pub(crate) struct Frame<'a> {
    /// Its reader.
    pub(crate) reader: Reader,
    /// Name of the product.
    pub(crate) product: &'a str,
    /// Address of the style sheet.
    pub(crate) style: &'static str,
    /// Address of the script that reports errors.
    pub(crate) script: &'static str,
    /// Whether the footer leads to the contact form.
    pub(crate) has_contact: bool,
    /// Address of the script that reports a page view.
    pub(crate) visit: &'static str,
    /// Whether the footer leads to the page of partners.
    pub(crate) has_partners: bool,
    /// Whether printed reports have a logo of the operator's.
    pub(crate) has_logo: bool,
    /// URLs that the footer leads to, where the operator has set them.
    pub(crate) privacy: Option<&'a str>,
    pub(crate) terms: Option<&'a str>,
    pub(crate) source: Option<&'a str>,
    /// Query of the page without the language, for the links to other languages.
    query: String,
    /// Path of the typeface of headings, which is wanted first.
    pub(crate) font: &'static str,
    /// Path of the entry of the main navigation that the page belongs to; empty: to none.
    place: &'static str,
    /// Path that the theme form leads back to; `None`: the `Referer`.
    pub(crate) back: Option<String>,
}

impl<'a> Frame<'a> {
    /// The frame of a page for a reader.
    pub(crate) fn new(services: &'a Services, reader: Reader) -> Self {
        let product = &services.config().product.name;
        let has_contact = service::contact::is_configured(services);
        let query = String::new();
        Self {
            reader,
            product,
            style: assets::STYLE_PATH,
            script: assets::PAGE_PATH,
            has_contact,
            visit: assets::VISIT_PATH,
            has_partners: service::partners::is_on(services),
            has_logo: services.logo().is_some(),
            privacy: services.config().product.privacy_url.as_deref(),
            terms: services.config().product.terms_url.as_deref(),
            source: services.config().product.source_url.as_deref(),
            query,
            font: assets::DISPLAY_PATH,
            place: "",
            back: None,
        }
    }

    /// With parameters of the page's address that stay when another language is chosen.
    pub(crate) fn keeping<K: AsRef<str>, V: AsRef<str>>(mut self, pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut query = url::form_urlencoded::Serializer::new(std::mem::take(&mut self.query));
        // What was done is said once, and in another language it was done before.
        let stays = |name: &str| name != "lang" && name != done::PARAMETER;
        query.extend_pairs(pairs.into_iter().filter(|(name, _)| stays(name.as_ref())));
        self.query = query.finish();
        self
    }

    /// With the whole query of the page's address, which stays when another language is chosen.
    pub(crate) fn keeping_query(self, query: Option<&str>) -> Self {
        self.keeping(url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()))
    }

    /// With the path that the choice of a theme leads back to, where the browser may not say where it came from.
    pub(crate) fn leading_back_to(self, path: String) -> Self {
        Self { back: Some(path), ..self }
    }

    /// Below an entry of the main navigation, named by its path.
    pub(crate) fn below(self, place: &'static str) -> Self {
        Self { place, ..self }
    }

    /// Path and name of the entries of the main navigation, and whether the page is below one.
    pub(crate) fn places(&self) -> [(&'static str, &'static str, bool); 6] {
        [
            ("/", self.t("Audit", "Auditar")),
            ("/workspace", self.t("Workspace", "Área de trabalho")),
            ("/tools", self.t("Tools", "Ferramentas")),
            ("/checks", self.t("Checks", "Verificações")),
            ("/docs", self.t("Docs", "Documentação")),
            ("/pricing", self.t("Prices", "Preços")),
        ]
        .map(|(path, name)| (path, name, path == self.place))
    }

    /// Path and name of the parts of the account, and whether the page is one.
    pub(crate) fn account_places(&self) -> [(String, &'static str, bool); 9] {
        [
            ("/conta", "", self.t("Profile", "Perfil")),
            ("/conta", "#security", self.t("Security", "Segurança")),
            ("/conta/passkeys", "", self.t("Passkeys", "Chaves de acesso")),
            ("/conta/keys", "", self.t("API keys", "Chaves de API")),
            ("/conta/organizations", "", self.t("Organizations", "Organizações")),
            ("/conta/avatar", "", self.t("Picture", "Foto")),
            ("/credit", "", self.t("Credit", "Crédito")),
            ("/conta", "#activity", self.t("Activity", "Atividade")),
            ("/conta", "#data", self.t("Export and delete", "Exportar e excluir")),
        ]
        .map(|(path, part, name)| {
            (format!("{path}?lang={}{part}", self.tag()), name, path == self.place && part.is_empty())
        })
    }

    /// The text of the page's language. Templates hold both, side by side.
    pub(crate) fn t<'t>(&self, en: &'t str, pt: &'t str) -> &'t str {
        match self.reader.lang {
            Lang::En => en,
            Lang::PtBr => pt,
        }
    }

    /// What is said of the audits of an account in its trial.
    pub(crate) fn in_trial(&self) -> &'static str {
        TRIAL.in_lang(self.reader.lang)
    }

    /// What a form has just done; empty for nothing.
    pub(crate) fn done(&self) -> &'static str {
        self.reader.done.map_or("", |said| said.in_lang(self.reader.lang))
    }

    /// An amount as the page's language writes it: `1,250.00`, `1.250,00`.
    pub(crate) fn decimal(&self, amount: impl std::fmt::Display) -> String {
        decimal(amount, self.reader.lang)
    }

    /// An instant for a reader, to the minute; as it is where it is none.
    pub(crate) fn minute(&self, instant: impl std::fmt::Display) -> String {
        let instant = instant.to_string();
        Timestamp::parse(&instant).map_or(instant, |at| shown::minute(at, self.reader.lang))
    }

    /// A UTC day (`2026-05-03`) as people read it.
    pub(crate) fn day(&self, day: &str) -> String {
        shown::named_day(day, self.reader.lang)
    }

    /// The language tag.
    pub(crate) fn tag(&self) -> &'static str {
        self.reader.lang.tag()
    }

    /// The reader's theme, as an attribute of the root element; `None` for the system's.
    pub(crate) fn theme(&self) -> Option<&'static str> {
        (self.reader.theme != Theme::System).then_some(self.reader.theme.word())
    }

    /// Word and name of every theme, and whether it is chosen.
    pub(crate) fn themes(&self) -> [(&'static str, &'static str, bool); 3] {
        Theme::ALL.map(|theme| {
            let name = match theme {
                Theme::System => self.t("System", "Sistema"),
                Theme::Light => self.t("Light", "Claro"),
                Theme::Dark => self.t("Dark", "Escuro"),
            };
            (theme.word(), name, theme == self.reader.theme)
        })
    }

    /// Tag and own name of every language, and the address of this page in it.
    pub(crate) fn languages(&self) -> [(&'static str, &'static str, String); 2] {
        let mark = if self.query.is_empty() { "" } else { "&" };
        [(Lang::En, "English"), (Lang::PtBr, "Português")]
            .map(|(lang, name)| (lang.tag(), name, format!("?lang={}{mark}{}", lang.tag(), self.query)))
    }
}

/// An amount, which is not negative, as a language writes it.
pub(crate) fn decimal(amount: impl std::fmt::Display, lang: Lang) -> String {
    let (group, point) = match lang {
        Lang::En => (',', '.'),
        Lang::PtBr => ('.', ','),
    };
    let amount = amount.to_string();
    let (whole, part) = amount.split_once('.').map_or((amount.as_str(), None), |(whole, part)| (whole, Some(part)));
    let mut shown = String::with_capacity(amount.len() + 2);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            shown.push(group);
        }
        shown.push(digit);
    }
    if let Some(part) = part {
        shown.push(point);
        shown.push_str(part);
    }
    shown
}
