//! Values that a page gives of itself, with their sources: what [`super::resolved`] settles and a page keeps.

use std::sync::OnceLock;

use model::lang::{Text, text};
use model::summary::Confidence;

use super::document::NodeId;
use super::garbled::Garbled;
use super::tree_size::TreeSize;

/// A value that the page gives, where it was found, and how certain it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The value as its author meant it, unescaped.
    pub(crate) value: String,
    /// Where it was found.
    pub(crate) source: EvidenceSource,
    /// How certain it is.
    pub(crate) confidence: Confidence,
}

impl Resolved {
    /// A value that may be offered as ready.
    pub(crate) fn high(value: impl Into<String>, source: EvidenceSource) -> Self {
        Self { value: value.into(), source, confidence: Confidence::High }
    }

    /// A value that one sign speaks for: a draft.
    pub(crate) fn medium(value: impl Into<String>, source: EvidenceSource) -> Self {
        Self { value: value.into(), source, confidence: Confidence::Medium }
    }

    /// A guess: a draft.
    pub(crate) fn low(value: impl Into<String>, source: EvidenceSource) -> Self {
        Self { value: value.into(), source, confidence: Confidence::Low }
    }

    /// Whether a fix with it is ready to paste.
    pub(crate) fn is_ready(&self) -> bool {
        self.confidence == Confidence::High
    }
}

/// Values that need nothing but the document, each settled when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    pub(super) subject: OnceLock<DataSubject>,
    pub(super) of_body: OfBody,
    pub(super) site_name: OnceLock<Option<Resolved>>,
    pub(super) headline: OnceLock<Option<Resolved>>,
    pub(super) headline_element: OnceLock<Option<(u8, NodeId)>>,
    pub(super) description: OnceLock<Option<Resolved>>,
    pub(super) page_type: OnceLock<Resolved>,
}

impl Memo {
    /// Whether what both have settled of the body is the same. Tests hold what was taken over to what is found.
    pub(crate) fn agrees_of_body(&self, other: &Self) -> bool {
        self.of_body.agrees(&other.of_body)
    }
}

/// Values that need nothing but the body: names, classes, roles, microdata and texts of its elements, and nothing of their
/// other attributes.
#[derive(Debug, Default)]
pub(crate) struct OfBody {
    /// The main content.
    pub(super) content: OnceLock<Option<NodeId>>,
    /// Entries as microformats mark them, at most two.
    pub(super) entries: OnceLock<Vec<NodeId>>,
    /// `article` elements, at most two.
    pub(super) articles: OnceLock<Vec<NodeId>>,
    /// There is a date in the content.
    pub(super) has_time: OnceLock<bool>,
    /// The content has many paragraphs of prose.
    pub(super) has_prose: OnceLock<bool>,
    /// Texts of headings, by their nodes.
    pub(super) headings: OnceLock<Vec<(NodeId, String)>>,
    /// What its class calls a by-line, in the content.
    pub(super) by_lines: OnceLock<Vec<NodeId>>,
    /// What shows the trail of the page.
    pub(super) trail: OnceLock<Option<NodeId>>,
    /// What of the text came out wrong, that of scripts left out.
    pub(super) garbled: OnceLock<Option<Garbled>>,
    /// How large it is.
    pub(super) size: OnceLock<TreeSize>,
}

impl OfBody {
    /// Whether what both have settled is the same.
    fn agrees(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(one: &OnceLock<T>, other: &OnceLock<T>) -> bool {
            one.get().zip(other.get()).is_none_or(|(one, other)| one == other)
        }
        same(&self.content, &other.content)
            && same(&self.entries, &other.entries)
            && same(&self.articles, &other.articles)
            && same(&self.has_time, &other.has_time)
            && same(&self.has_prose, &other.has_prose)
            && same(&self.headings, &other.headings)
            && same(&self.by_lines, &other.by_lines)
            && same(&self.trail, &other.trail)
            && same(&self.garbled, &other.garbled)
            && same(&self.size, &other.size)
    }

    /// The same where elements have other numbers.
    pub(super) fn renumbered(&self, now: impl Fn(NodeId) -> Option<NodeId>) -> Self {
        fn settled<T, U>(cell: &OnceLock<T>, now: impl Fn(&T) -> U) -> OnceLock<U> {
            cell.get().map(now).map_or_else(OnceLock::new, OnceLock::from)
        }
        let one = |id: &Option<NodeId>| id.and_then(&now);
        let all = |ids: &Vec<NodeId>| ids.iter().filter_map(|id| now(*id)).collect::<Vec<NodeId>>();
        let texts = |texts: &Vec<(NodeId, String)>| {
            texts.iter().filter_map(|(id, text)| Some((now(*id)?, text.clone()))).collect::<Vec<_>>()
        };
        Self {
            content: settled(&self.content, one),
            entries: settled(&self.entries, all),
            articles: settled(&self.articles, all),
            has_time: self.has_time.clone(),
            has_prose: self.has_prose.clone(),
            headings: settled(&self.headings, texts),
            by_lines: settled(&self.by_lines, all),
            trail: settled(&self.trail, one),
            garbled: self.garbled.clone(),
            size: self.size.clone(),
        }
    }
}

/// An image that structured data names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataImage {
    /// Its address as written.
    pub(crate) address: String,
    /// Width and height in pixels, where stated.
    pub(crate) sides: (Option<u32>, Option<u32>),
}

/// What structured data says. Texts are without markup.
#[derive(Debug, Default)]
pub(crate) struct DataSubject {
    /// The main thing is an article.
    pub(crate) is_article: bool,
    /// Its headline, else its name.
    pub(crate) headline: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) image: Option<DataImage>,
    /// Names of its authors that are persons or of no type.
    pub(crate) authors: Vec<String>,
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
    /// Name of the `WebSite`.
    pub(crate) web_site: Option<String>,
    /// Name of the one `Organization`, or of the publisher.
    pub(crate) organization: Option<String>,
    /// Descriptions of the site and its organization, which are of no page.
    pub(crate) of_site: Vec<String>,
}

impl DataSubject {
    /// Where a value of structured data is from.
    pub(crate) const SOURCE: EvidenceSource = EvidenceSource::StructuredData;
}

/// Where a value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvidenceSource {
    Title,
    TitlePart,
    MetaDescription,
    MetaAuthor,
    MetaDate,
    SocialTitle,
    SocialDescription,
    TwitterDescription,
    SocialImage,
    TwitterImage,
    ImageLink,
    SocialType,
    PublishedTag,
    ModifiedTag,
    AuthorTag,
    SiteNameTag,
    ApplicationName,
    AppleTitle,
    WebSiteNode,
    OrganizationNode,
    StructuredData,
    H1,
    H1AndSiteName,
    Heading,
    HeadingAndSiteName,
    DataAndSiteName,
    SocialTitleAndSiteName,
    Paragraph,
    ContentImage,
    ByLine,
    AuthorLink,
    Time,
    FirstTime,
    BodyClass,
    EntryClass,
    DatedArticle,
    HomePage,
    NoSign,
    ShownTrail,
    FolderLinks,
    OwnAddress,
    ProductTag,
}

impl EvidenceSource {
    /// The word for programs.
    pub(crate) fn word(self) -> &'static str {
        self.row().0
    }

    /// In words, for the field `fonte` of a fix.
    pub(crate) fn words(self) -> Text {
        self.row().1
    }

    fn row(self) -> (&'static str, Text) {
        match self {
            Self::Title => ("title", text("the page's title", "o título da página")),
            Self::TitlePart => (
                "title_part",
                text(
                    "the part of the title that matches the domain name",
                    "a parte do título que coincide com o nome do domínio",
                ),
            ),
            Self::MetaDescription => ("meta_description", text("the meta description", "a meta description")),
            Self::MetaAuthor => ("meta_author", text("the author meta tag", "a meta tag author")),
            Self::MetaDate => ("meta_date", text("the page's date meta tag", "a meta tag de data da página")),
            Self::SocialTitle => ("og_title", text("the page's og:title", "o og:title da página")),
            Self::SocialDescription => {
                ("og_description", text("the page's og:description", "a og:description da página"))
            }
            Self::TwitterDescription => {
                ("twitter_description", text("the page's twitter:description", "o twitter:description da página"))
            }
            Self::SocialImage => ("og_image", text("og:image", "og:image")),
            Self::TwitterImage => ("twitter_image", text("twitter:image", "twitter:image")),
            Self::ImageLink => ("image_src", text("the link with rel=image_src", "o link com rel=image_src")),
            Self::SocialType => ("og_type", text("og:type", "og:type")),
            Self::PublishedTag => ("published_time", text("article:published_time", "article:published_time")),
            Self::ModifiedTag => ("modified_time", text("article:modified_time", "article:modified_time")),
            Self::AuthorTag => ("article_author", text("article:author", "article:author")),
            Self::SiteNameTag => ("og_site_name", text("og:site_name", "og:site_name")),
            Self::ApplicationName => ("application_name", text("application-name", "application-name")),
            Self::AppleTitle => ("apple_title", text("apple-mobile-web-app-title", "apple-mobile-web-app-title")),
            Self::WebSiteNode => {
                ("website_node", text("the name in the page's WebSite node", "o nome no nó WebSite da página"))
            }
            Self::OrganizationNode => (
                "organization_node",
                text("the name in the page's Organization node", "o nome no nó Organization da página"),
            ),
            Self::StructuredData => {
                ("structured_data", text("the page's structured data", "os dados estruturados da página"))
            }
            Self::H1 => ("h1", text("the h1", "o h1")),
            Self::H1AndSiteName => ("h1", text("the h1 and the site's name", "o h1 e o nome do site")),
            Self::Heading => {
                ("heading", text("the heading that matches the title", "o título de seção que coincide com o title"))
            }
            Self::HeadingAndSiteName => (
                "heading",
                text("the page's main heading and the site's name", "o título principal da página e o nome do site"),
            ),
            Self::DataAndSiteName => (
                "structured_data",
                text(
                    "the page's structured data and the site's name",
                    "os dados estruturados da página e o nome do site",
                ),
            ),
            Self::SocialTitleAndSiteName => {
                ("og_title", text("the page's og:title and the site's name", "o og:title da página e o nome do site"))
            }
            Self::Paragraph => (
                "paragraph",
                text("the first paragraph of the main content", "o primeiro parágrafo do conteúdo principal"),
            ),
            Self::ContentImage => {
                ("content_image", text("the first large image of the content", "a primeira imagem grande do conteúdo"))
            }
            Self::ByLine => ("by_line", text("the page's byline", "a assinatura (byline) da página")),
            Self::AuthorLink => ("author_link", text("the link with rel=author", "o link com rel=author")),
            Self::Time => ("time", text("the time element of the article", "o elemento time do artigo")),
            Self::FirstTime => ("first_time", text("the first time element", "o primeiro elemento time")),
            Self::BodyClass => (
                "body_class",
                text("the body's class, which marks an article", "a classe do body, que indica um artigo"),
            ),
            Self::EntryClass => {
                ("entry_class", text("the only dated entry on the page", "o único item datado da página"))
            }
            Self::DatedArticle => (
                "dated_article",
                text("article signals such as a date or an author", "sinais de artigo, como uma data ou um autor"),
            ),
            Self::HomePage => ("home_page", text("the site's home page", "a página inicial do site")),
            Self::NoSign => (
                "default",
                text("the default type for pages that declare none", "o tipo padrão de páginas que não declaram um"),
            ),
            Self::ShownTrail => (
                "shown_trail",
                text("the breadcrumb trail on the page", "a trilha de navegação (breadcrumb) da página"),
            ),
            Self::FolderLinks => (
                "folder_links",
                text(
                    "the page's own links to its parent folders",
                    "os links da própria página para as pastas acima dela",
                ),
            ),
            Self::OwnAddress => ("own_address", text("the page's own URL", "a URL da própria página")),
            Self::ProductTag => ("product_tag", text("the page's product: tags", "as tags product: da página")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EvidenceSource::{self as Source, *};

    /// Each source with its word, and what its label names in English and in Portuguese.
    const LABELS: [(Source, &str, &str, &str); 42] = [
        (Title, "title", "title", "título"),
        (TitlePart, "title_part", "domain", "domínio"),
        (MetaDescription, "meta_description", "the meta description", "a meta description"),
        (MetaAuthor, "meta_author", "author meta tag", "meta tag author"),
        (MetaDate, "meta_date", "date meta tag", "meta tag de data"),
        (SocialTitle, "og_title", "og:title", "og:title"),
        (SocialDescription, "og_description", "og:description", "og:description"),
        (TwitterDescription, "twitter_description", "twitter:description", "twitter:description"),
        (SocialImage, "og_image", "og:image", "og:image"),
        (TwitterImage, "twitter_image", "twitter:image", "twitter:image"),
        (ImageLink, "image_src", "rel=image_src", "rel=image_src"),
        (SocialType, "og_type", "og:type", "og:type"),
        (PublishedTag, "published_time", "article:published_time", "article:published_time"),
        (ModifiedTag, "modified_time", "article:modified_time", "article:modified_time"),
        (AuthorTag, "article_author", "article:author", "article:author"),
        (SiteNameTag, "og_site_name", "og:site_name", "og:site_name"),
        (ApplicationName, "application_name", "application-name", "application-name"),
        (AppleTitle, "apple_title", "apple-mobile-web-app-title", "apple-mobile-web-app-title"),
        (WebSiteNode, "website_node", "WebSite", "WebSite"),
        (OrganizationNode, "organization_node", "Organization", "Organization"),
        (StructuredData, "structured_data", "structured data", "dados estruturados"),
        (H1, "h1", "the h1", "o h1"),
        (H1AndSiteName, "h1", "the h1 and the site's name", "o h1 e o nome do site"),
        (Heading, "heading", "heading that matches", "título de seção que coincide"),
        (HeadingAndSiteName, "heading", "main heading and the site's name", "título principal da página e o nome"),
        (DataAndSiteName, "structured_data", "data and the site's name", "estruturados da página e o nome do site"),
        (SocialTitleAndSiteName, "og_title", "og:title and the site's name", "og:title da página e o nome do site"),
        (Paragraph, "paragraph", "paragraph", "parágrafo"),
        (ContentImage, "content_image", "image of the content", "imagem grande do conteúdo"),
        (ByLine, "by_line", "byline", "byline"),
        (AuthorLink, "author_link", "rel=author", "rel=author"),
        (Time, "time", "time element of the article", "time do artigo"),
        (FirstTime, "first_time", "first time element", "primeiro elemento time"),
        (BodyClass, "body_class", "body's class", "classe do body"),
        (EntryClass, "entry_class", "dated entry", "item datado"),
        (DatedArticle, "dated_article", "article signals", "sinais de artigo"),
        (HomePage, "home_page", "home page", "página inicial"),
        (NoSign, "default", "default type", "tipo padrão"),
        (ShownTrail, "shown_trail", "breadcrumb trail on the page", "breadcrumb"),
        (FolderLinks, "folder_links", "parent folders", "pastas acima"),
        (OwnAddress, "own_address", "own URL", "própria página"),
        (ProductTag, "product_tag", "product:", "product:"),
    ];

    #[test]
    fn the_label_of_each_source_names_that_source() {
        for (source, word, en, pt) in LABELS {
            assert_eq!(source.word(), word, "{source:?}");
            let label = source.words();
            assert!(label.en.contains(en), "{source:?}: {}", label.en);
            assert!(label.pt.contains(pt), "{source:?}: {}", label.pt);
        }
    }

    #[test]
    fn no_two_sources_have_one_label() {
        for (at, (source, ..)) in LABELS.iter().enumerate() {
            for (other, ..) in &LABELS[..at] {
                assert_ne!((source.words().en, source.words().pt), (other.words().en, other.words().pt));
            }
        }
    }
}
