//! Why something about a page is not known: every reason with its word.

/// Why a check has no verdict. Its words are on the wire: `coverage.notMeasured` of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotMeasured {
    /// There was no response.
    Fetch,
    /// The final status is not 2xx.
    Status,
    /// Not an HTML document.
    Html,
    /// A bot interstitial answered.
    Challenge,
    /// The page opts out of the index.
    NoIndex,
    /// The document was cut: absence can't be claimed.
    Truncated,
    /// An empty app shell: a script may add what is missing.
    Shell,
    /// robots.txt could not be evaluated.
    Robots,
    /// Not every sitemap was read to its end.
    Sitemap,
    /// The probe was skipped, failed, or is masked.
    Probe,
    /// Language unknown or without a word list.
    Language,
    /// Supplied bytes: no headers, no timing, no other files.
    Offline,
    /// No field data: nobody was asked, or the page has too few visitors.
    Crux,
    /// Meaningless for this URL scheme.
    Scheme,
    /// A part of the JSON-LD could not be read, or is past the nodes that are looked at: it may hold what is looked for.
    JsonLd,
    /// The tag is there, with `value` in place of `content`: that is told once for all of them.
    Misspelt,
    /// The feature is not on the page: not applicable.
    Absent,
    /// The check itself failed; a defect of ours, logged.
    Defect,
}

impl NotMeasured {
    /// The wire word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Status => "status",
            Self::Html => "html",
            Self::Challenge => "challenge",
            Self::NoIndex => "noindex",
            Self::Truncated => "trunc",
            Self::Shell => "shell",
            Self::Robots => "robots",
            Self::Sitemap => "sitemap",
            Self::Probe => "probe",
            Self::Language => "lang",
            Self::Offline => "offline",
            Self::Crux => "crux",
            Self::Scheme => "scheme",
            Self::JsonLd => "jsonld",
            Self::Misspelt => "misspelt",
            Self::Absent => "absent",
            Self::Defect => "defect",
        }
    }
}
