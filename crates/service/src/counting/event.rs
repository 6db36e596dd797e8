//! Events of the product that are counted, and the kinds of all numbers.

/// Kinds of numbers, as they are stored.
pub mod kind {
    /// Answered calls of a day, by `surface/reader`.
    pub const CALLS: &str = "calls";
    /// Calls of AI agents of a day, by product token.
    pub const AGENT: &str = "agent";
    /// Calls of tools over MCP of a day, by name.
    pub const TOOL: &str = "tool";
    /// Page views of people of a day, by language.
    pub const LANGUAGE: &str = "language";
    /// Answers of a day, by class of the status, `2` to `5`.
    pub const STATUS: &str = "status";
    /// Events of the product of a day.
    pub const EVENT: &str = "event";
    /// Findings of the audits of a day, by code.
    pub const FINDING: &str = "finding";
    /// Audits of a day that have a finding, by code.
    pub const AUDIT_WITH: &str = "audit_with";
    /// Own time of the audits of a day, without that of their targets, by bucket of [`super::super::Latencies`].
    pub const AUDIT_TIME: &str = "audit_time";
    /// Answers of an hour: route, class of the status and bucket, separated by tabs.
    pub const ROUTE: &str = "route";
    /// Audits of an hour that failed at their target, by code.
    pub const REFUSED_TARGET: &str = "refused_target";
    /// Errors of browsers of an hour: code, phase and path, separated by tabs.
    pub const CLIENT_ERROR: &str = "client_error";
}

/// An event of the product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A report was made by an audit.
    Audit,
    /// A page that the caller sent was judged.
    Verification,
    /// A lab test was started.
    LabTest,
    /// A message of the contact form was accepted.
    Contact,
    /// A person saw a payment prompt.
    PaymentPrompt,
    /// A visit that came from a command line with telemetry.
    CommandLine,
    /// A page of ours failed in a browser. `path` is the pattern of its route, without ids.
    ClientError {
        /// Code of the error.
        code: String,
        /// Phase in which it happened.
        phase: String,
        /// Pattern of the page's route.
        path: String,
    },
    /// An audit failed at its target, with this code.
    RefusedTarget(&'static str),
}

impl Event {
    /// The name of an event of a day; `None` for one that is counted by hour.
    pub fn word(&self) -> Option<&'static str> {
        Some(match self {
            Self::Audit => "audit",
            Self::Verification => "verification",
            Self::LabTest => "lab",
            Self::Contact => "contact",
            Self::PaymentPrompt => "pagamento_aberto",
            Self::CommandLine => "cli",
            Self::ClientError { .. } | Self::RefusedTarget(_) => return None,
        })
    }
}
