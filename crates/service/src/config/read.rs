//! Reading the configuration from file, environment and flags, in this order; the first invalid value is a one-line
//! error.

use std::cell::LazyCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::keys::{KeyKind, PREFIX, kind_by_default, name_of, reference};
use super::settings::Config;

/// Prefixes of environment variables of the project's own tests.
const OF_TESTS: [&str; 2] = ["SITE_AUDIT_TEST_", "SITE_AUDIT_SHARED"];
/// The default file, if it exists.
const USUAL_FILE: &str = "site-audit.toml";
/// Bytes of a configuration file; far above any real one.
const FILE_BYTES: u64 = 1024 * 1024;

/// Sources of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// A file that must exist; `None`: `site-audit.toml` if it exists.
    pub file: Option<PathBuf>,
    /// The whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Flags: key and value.
    pub flags: Vec<(&'static str, String)>,
}

/// Why the configuration is invalid: one line with the key and what it takes.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("{path} could not be read")]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{path}:{line}: {problem}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// The parser's message.
        problem: String,
    },
    /// An invalid value, or an unknown key.
    #[error("{origin}: {problem}")]
    Value {
        /// The key, or the environment variable that set it.
        origin: String,
        /// What is wrong and what it takes.
        problem: String,
    },
}

impl Sources {
    /// The process's own environment.
    #[expect(clippy::disallowed_methods, reason = "the room of settings")]
    pub fn of_process(file: Option<PathBuf>, flags: Vec<(&'static str, String)>) -> Self {
        Self { file, environment: std::env::vars_os().collect(), flags }
    }
}

impl Config {
    /// Reads and validates the configuration.
    pub fn read(sources: &Sources) -> Result<Self, ConfigError> {
        // Made only for a mistake, and for keys without a default: it takes longer than all else here.
        let keys = LazyCell::new(reference);
        let key = |name: &str| keys.iter().find(|key| key.name == name);
        let defaults = serde_json::to_value(Self::default()).unwrap_or_default();
        let kind = |name: &str| kind_by_default(&defaults, name).or_else(|| key(name).map(|key| key.kind));
        let does_not_fit = |origin: &str, name: &str, text: &str| {
            let meaning = key(name).map(|key| key.meaning.as_str()).unwrap_or_default();
            bad(origin, &format!("{text:?} does not fit. {meaning}"))
        };
        let mut values = file(sources.file.as_deref())?;
        for (variable, text) in &sources.environment {
            let Some(variable) = variable.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
            if OF_TESTS.iter().any(|prefix| variable.starts_with(prefix)) {
                continue;
            }
            let named = name_of(variable).and_then(|name| Some((kind(&name)?, name)));
            let Some((kind, name)) = named else {
                return Err(bad(variable, "unknown key; docs/configuration.md lists all keys"));
            };
            let Some(text) = text.to_str() else { return Err(bad(variable, "the value is not UTF-8")) };
            let value = value(kind, text).ok_or_else(|| does_not_fit(variable, &name, text))?;
            set(&mut values, &name, value);
        }
        for (name, text) in &sources.flags {
            let Some(kind) = kind(name) else { continue };
            set(&mut values, name, value(kind, text).ok_or_else(|| does_not_fit(name, name, text))?);
        }
        let config: Self = serde_path_to_error::deserialize(Value::Object(values)).map_err(|error| {
            let path = error.path().to_string();
            let problem = error.into_inner().to_string();
            // Of a list's entry, such as `free_now[0]`, the key is the part before the bracket.
            let name = path.split('[').next().unwrap_or_default();
            match key(name) {
                Some(key) => bad(&path, &format!("{problem}. {}", key.meaning)),
                None => bad(&path, &problem),
            }
        })?;
        config.validate().map_err(|(key, problem)| bad(key, problem))?;
        Ok(config)
    }
}

fn bad(origin: &str, problem: &str) -> ConfigError {
    ConfigError::Value { origin: origin.to_owned(), problem: problem.to_owned() }
}

fn file(named: Option<&Path>) -> Result<Map<String, Value>, ConfigError> {
    use std::io::Read as _;
    let path = named.unwrap_or(Path::new(USUAL_FILE));
    let failed = |source| ConfigError::File { path: path.to_owned(), source };
    let opened = match std::fs::File::open(path) {
        Ok(opened) => opened,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    opened.take(FILE_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > FILE_BYTES {
        return Err(failed(std::io::Error::other("longer than 1 MiB")));
    }
    toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        ConfigError::Syntax {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            problem: error.message().lines().next().unwrap_or_default().to_owned(),
        }
    })
}

/// Parses a text as a value of a kind; `None` where it is none.
fn value(kind: KeyKind, text: &str) -> Option<Value> {
    match kind {
        KeyKind::Text => Some(Value::from(text)),
        KeyKind::Boolean => text.trim().parse::<bool>().ok().map(Value::from),
        KeyKind::Integer => text.trim().parse::<i64>().ok().map(Value::from),
        KeyKind::Number => text.trim().parse::<f64>().ok().map(Value::from),
        KeyKind::List => {
            Some(text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(Value::from).collect())
        }
    }
}

/// Sets a value at a dotted name. A conflicting value in the way is left for deserialization to reject.
fn set(values: &mut Map<String, Value>, name: &str, value: Value) {
    match name.split_once('.') {
        None => {
            values.insert(name.to_owned(), value);
        }
        Some((table, rest)) => {
            let inner = values.entry(table).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                set(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{LabProvider, PaymentMode, TargetPorts};
    use std::io::Write as _;

    fn with(environment: &[(&str, &str)]) -> Result<Config, String> {
        let environment = environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        // An empty file of its own, so that one in the working directory does not count.
        let empty = Some(PathBuf::from("/dev/null"));
        Config::read(&Sources { file: empty, environment, flags: Vec::new() }).map_err(|error| error.to_string())
    }

    fn toml(text: &str) -> Result<Config, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let sources = Sources { file: Some(file.path().to_owned()), ..Sources::default() };
        Config::read(&sources).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_configured_is_the_default() {
        let config = with(&[]).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.payment_mode(), PaymentMode::Dev);
        assert_eq!(config.user_agent("http://localhost:8080"), "SiteAudit/0.1.0 (+http://localhost:8080/bot)");
    }

    #[test]
    fn the_environment_goes_over_the_file_and_flags_over_both() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"listen = '127.0.0.1:1'\n[limits]\nfetches = 3\nfetches_per_caller = 2\n").unwrap();
        let config = Config::read(&Sources {
            file: Some(file.path().to_owned()),
            environment: vec![
                ("SITE_AUDIT_LISTEN".into(), "127.0.0.1:2".into()),
                ("SITE_AUDIT_LIMITS__FETCHES".into(), "5".into()),
                ("HOME".into(), "/".into()),
            ],
            flags: vec![("listen", "127.0.0.1:3".to_owned())],
        })
        .unwrap();
        assert_eq!(config.listen.port(), 3);
        assert_eq!((config.limits.fetches, config.limits.fetches_per_caller), (5, 2));
    }

    #[test]
    fn lists_are_arrays_in_the_file_and_commas_in_the_environment() {
        let ports = |config: Config| config.fetch.allow_ports;
        assert_eq!(ports(toml("[fetch]\nallow_ports = [80, 81]").unwrap()), TargetPorts::These(vec![80, 81]));
        assert_eq!(ports(toml("[fetch]\nallow_ports = ['*']").unwrap()), TargetPorts::Any);
        let config = with(&[
            ("SITE_AUDIT_FETCH__ALLOW_PORTS", "80, 82"),
            ("SITE_AUDIT_FETCH__RESOLVE", "A.example=127.0.0.2,b.example=::1"),
            ("SITE_AUDIT_TRUSTED_PROXIES", "10.0.0.0/8"),
        ])
        .unwrap();
        assert_eq!(config.fetch.allow_ports, TargetPorts::These(vec![80, 82]));
        assert_eq!(config.fetch.resolve.first().unwrap().name, "a.example");
        assert_eq!(config.trusted_proxies.len(), 1);
    }

    #[test]
    fn a_bad_value_is_one_line_with_its_key_and_what_it_takes() {
        for (outcome, wanted) in [
            (toml("limitz = 1"), "limitz"),
            (toml("[limits]\nfetches = 'many'"), "limits.fetches: invalid type"),
            (toml("[limits]\nfetches = 0"), "limits.fetches: must be a number of at least 1"),
            (toml("a = [\n1,\n"), ":"),
            (toml("listen = 'localhost:8080'"), "listen: must be an IP address and a port, such as 127.0.0.1:8080"),
            (toml("base_url = 'https://a.example/path'"), "base_url: must be an origin"),
            (toml("[payments]\nmode = 'live'"), "payments.pay_to: must be set"),
            (toml("[payments]\npay_to = '0x12'"), "payments.pay_to: must be 0x followed by 40 hex digits"),
            (
                toml("[payments]\npay_to = '0x209693bc6afc0C5328bA36FaF03C514EF312287C'"),
                "payments.pay_to: its capitals don't fit",
            ),
            (toml("[payments]\nnetwork = 'base'"), "payments.facilitator: must be set where payments.network is base"),
            (
                toml("[payments]\nfacilitator = 'https://f.example/?key=1'"),
                "payments.facilitator: must be an http or https",
            ),
            (
                toml("[payments]\nfacilitator = 'https://f.example/#a'"),
                "payments.facilitator: must be an http or https",
            ),
            (
                toml("[payments]\nfacilitator = 'http://f.example/'\nfacilitator_auth = 'Bearer x'"),
                "payments.facilitator: must be an https URL",
            ),
            (
                toml("[payments]\nfacilitator = 'https://a:b@c.d'"),
                "payments.facilitator: must be an http or https URL without",
            ),
            (toml("[auth]\nsecret = 'short'"), "auth.secret: must be at least 32 bytes"),
            (toml("[auth]\nprevious_secret = ''"), "auth.previous_secret: must be at least 32 bytes"),
            (toml("[auth]\nargon2_kib = 8"), "auth.argon2_kib: must be 19456"),
            (toml("[operator]\ntoken = 'mmk_x'"), "operator.token: must be a text"),
            (toml("[challenge]\nprovider = 'captcha'"), "challenge.provider: unknown variant"),
            (toml("[challenge]\nprovider = 'siteverify'"), "challenge.sitekey: must be set"),
            (toml("[challenge]\nprovider = 'siteverify'\nsitekey = 'a'"), "challenge.secret: must be set"),
            (
                toml("[challenge]\nprovider = 'siteverify'\nsitekey = 'a'\nsecret = ' '"),
                "challenge.secret: must be set",
            ),
            (
                toml("[challenge]\nprovider = 'siteverify'\nsitekey = 'a'\nsecret = 'b'"),
                "challenge.url: must be set where challenge.provider is siteverify",
            ),
            (
                toml("[challenge]\nprovider = 'siteverify'\nsitekey = 'a'\nsecret = 'b'\nurl = 'https://v.example/'"),
                "challenge.script: must be set",
            ),
            (toml("[challenge]\nurl = 'http://v.example/'"), "challenge.url: must be an https URL"),
            (toml("[challenge]\nscript = 'javascript:1'"), "challenge.script: must be an https URL"),
            (toml("[challenge]\nvalid_hours = 0"), "challenge.valid_hours: must be 1 to 720"),
            (toml("[prices]\naudit_usd = -1"), "prices.audit_usd: expected an amount"),
            (toml("[smtp]\nurl = 'smtp://u:secret@host/path'"), "smtp.url: must be smtp://"),
            (toml("[smtp]\nurl = 'smtp://host'"), "smtp.from: must be set"),
            (toml("[smtp]\nfrom = 'nobody'"), "smtp.from: must be an email address"),
            (toml("[contact]\nto = 'Team <team@example.com>'"), "contact.to: must be an email address"),
            (toml("[fetch]\nallow_ports = ['a']"), "fetch.allow_ports"),
            (toml("free_now = ['lunch']"), "free_now[0]: unknown variant"),
            (with(&[("SITE_AUDIT_PARTNERS__ENABLED", "yes")]), "SITE_AUDIT_PARTNERS__ENABLED: \"yes\" does not fit."),
            (
                toml(
                    "[[partners.sponsors]]\nid = 'a'\nname = 'A'\nurl = 'javascript:x'\nline = ''\nfrom = '2026-01-01'\nuntil = '2026-12-31'",
                ),
                "partners.sponsors: must be an id",
            ),
            (
                toml(
                    "[[partners.sponsors]]\nid = 'a'\nname = 'A'\nurl = 'https://a.example'\nline = ''\nfrom = '2026-02-30'\nuntil = '2026-12-31'",
                ),
                "is not a day such as 2026-12-31",
            ),
            (toml("[lab]\nprovider = 'webpagetest'"), "lab.provider: unknown variant"),
            (toml("[lab]\nprovider = 'pagespeed'"), "lab.key: must be set while lab.provider is pagespeed"),
            (toml("[lab]\nprovider = 'pagespeed'\nkey = ' '"), "lab.key: must be a key"),
            (toml("[lab]\nurl = 'ftp://lab.example/'"), "lab.url: must be an http or https URL"),
            (toml("[lab]\nurl = '/runPagespeed'"), "lab.url: must be an http or https URL"),
            (toml("[lab]\nat_once = 0"), "lab.at_once: must be a number of at least 1"),
            (toml("[lab]\nrendered = true"), "lab.rendered: can be true only while lab.provider is lighthouse"),
            (
                toml("[lab]\nprovider = 'pagespeed'\nkey = 'a'\nrendered = true"),
                "lab.rendered: can be true only while lab.provider is lighthouse",
            ),
            (toml("[lab]\nspeed = 1"), "lab.speed"),
            (with(&[("SITE_AUDIT_LAB__SANDBOX", "no")]), "SITE_AUDIT_LAB__SANDBOX: \"no\" does not fit."),
            (toml("[field_data]\ncrux_key = ' '"), "field_data.crux_key: must be a key"),
            (toml("[field_data]\ncrux_endpoint = 'records'"), "field_data.crux_endpoint: must be an http or https URL"),
            (with(&[("SITE_AUDIT_LIMITS__FETCHES", "x")]), "SITE_AUDIT_LIMITS__FETCHES: \"x\" does not fit."),
            (with(&[("SITE_AUDIT_LISTN", "x")]), "SITE_AUDIT_LISTN: unknown key"),
        ] {
            let message = outcome.unwrap_err();
            assert!(message.contains(wanted) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn lab_tests_are_configured_by_file_and_environment() {
        let config = with(&[]).unwrap().lab;
        assert_eq!((config.provider, config.sandbox, config.rendered), (LabProvider::Off, true, false));
        let config = with(&[
            ("SITE_AUDIT_LAB__PROVIDER", "lighthouse"),
            ("SITE_AUDIT_LAB__SANDBOX", "false"),
            ("SITE_AUDIT_LAB__RENDERED", "true"),
            ("SITE_AUDIT_LAB__FOLDER", "programs/lab"),
        ])
        .unwrap()
        .lab;
        assert_eq!((config.provider, config.sandbox, config.rendered), (LabProvider::Lighthouse, false, true));
        assert_eq!(config.folder, Some(PathBuf::from("programs/lab")));
        let config = toml("[lab]\nprovider = 'pagespeed'\nkey = 'a key'\n[field_data]\ncrux_key = 'another'").unwrap();
        assert_eq!(config.lab.key.as_ref().unwrap().expose(), "a key");
        let shown = format!("{config:?}") + &serde_json::to_string(&config).unwrap();
        assert!(!shown.contains("a key") && !shown.contains("another"), "{shown}");
    }

    #[test]
    fn a_file_that_was_named_must_be_there() {
        let sources = Sources { file: Some("/nowhere/site-audit.toml".into()), ..Sources::default() };
        let error = anyhow::Error::new(Config::read(&sources).unwrap_err());
        let message = format!("{error:#}");
        assert!(message.starts_with("/nowhere/site-audit.toml could not be read: "), "{message}");
        assert_eq!(message.matches("os error").count(), 1, "{message}");
    }
}
