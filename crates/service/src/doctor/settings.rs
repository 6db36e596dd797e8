//! Settings that fit together or not, judged without network.

use std::path::PathBuf;

use url::Url;

use super::condition::Diagnosis;
use super::is_open_to_others;
use crate::config::{Config, PaymentMode, PaymentNetwork};
use crate::origin::is_loopback;

/// What the settings tell.
pub(super) fn judged(config: &Config) -> Vec<Diagnosis> {
    let base = config.base_url.as_deref().and_then(|url| Url::parse(url).ok());
    vec![
        origin(base.as_ref()),
        proxies(config, base.as_ref()),
        secret(config, base.as_ref()),
        operator(config),
        contact(config),
        money(config),
    ]
}

/// Whether the service has a public address with TLS.
fn origin(base: Option<&Url>) -> Diagnosis {
    const AREA: &str = "base_url";
    match base {
        None => Diagnosis::warning(
            AREA,
            "base_url is not set, so every link leads to this machine",
            "Set base_url to the public origin, such as https://audit.example.com, before others use the service.",
        ),
        Some(url) if url.scheme() == "https" => Diagnosis::ok(AREA, format!("{} is the public origin", shown(url))),
        Some(url) if is_loopback(url) => Diagnosis::ok(AREA, format!("{} is for this machine only", shown(url))),
        Some(url) => Diagnosis::problem(
            AREA,
            format!("{} is plain http: there are no accounts, and tokens travel unencrypted", shown(url)),
            "Put a proxy with a certificate in front, and set base_url to https.",
        ),
    }
}

/// Whether callers behind a proxy are told apart.
fn proxies(config: &Config, base: Option<&Url>) -> Diagnosis {
    const AREA: &str = "proxies";
    let is_behind = base.is_some_and(|url| url.scheme() == "https");
    let whole = config.trusted_proxies.iter().find(|network| network.prefix_len() == 0);
    match (whole, is_behind, config.trusted_proxies.is_empty()) {
        (Some(network), _, _) => Diagnosis::problem(
            AREA,
            format!("trusted_proxies has {network}: anyone can claim any address, so rate limits have no effect"),
            "List only the networks of your own proxies.",
        ),
        (None, true, true) => Diagnosis::problem(
            AREA,
            "trusted_proxies is empty, and a proxy speaks TLS for this service: all callers share one quota",
            "Set trusted_proxies to the address that the proxy calls from, such as 127.0.0.1/32.",
        ),
        (None, _, true) => Diagnosis::ok(AREA, "no proxy is trusted; each caller is known by its own address"),
        (None, _, false) => {
            let networks: Vec<String> = config.trusted_proxies.iter().map(ToString::to_string).collect();
            Diagnosis::ok(AREA, format!("proxies at {} are trusted", networks.join(", ")))
        }
    }
}

/// Whether accounts have a secret.
fn secret(config: &Config, base: Option<&Url>) -> Diagnosis {
    const AREA: &str = "secret";
    if base.is_some_and(|url| url.scheme() == "http" && !is_loopback(url)) {
        return Diagnosis::off(AREA, "accounts need https");
    }
    let Some(file) = store::database_file(&config.database_url) else {
        return match config.auth.secret {
            Some(_) => Diagnosis::ok(AREA, "auth.secret is set; it must be the same on all servers"),
            None => Diagnosis::problem(
                AREA,
                "auth.secret is not set: there are no accounts and no signed receipts",
                "Set auth.secret, the same on all servers; `openssl rand -base64 32` makes one.",
            ),
        };
    };
    if config.auth.secret.is_some() {
        return Diagnosis::ok(AREA, "auth.secret is set");
    }
    let mut beside = file.into_os_string();
    beside.push(".secret");
    let beside = PathBuf::from(beside);
    match is_open_to_others(&beside) {
        Some(true) => Diagnosis::problem(
            AREA,
            format!("{} can be read by other users of this machine", beside.display()),
            format!("Run chmod 600 {} and replace the secret.", beside.display()),
        ),
        Some(false) => Diagnosis::ok(AREA, format!("{} is readable by its owner only; back it up", beside.display())),
        None => Diagnosis::ok(AREA, format!("{} will be made at the first start", beside.display())),
    }
}

/// Whether somebody can see metrics.
fn operator(config: &Config) -> Diagnosis {
    const AREA: &str = "operator";
    match config.operator.token {
        Some(_) => Diagnosis::ok(AREA, "operator.token gives access to /metrics and /operator"),
        None => Diagnosis::warning(
            AREA,
            "operator.token is not set: nobody can see /metrics and /operator",
            "Set operator.token; `openssl rand -base64 32` makes one.",
        ),
    }
}

/// Whether weaknesses can be reported.
fn contact(config: &Config) -> Diagnosis {
    const AREA: &str = "security.txt";
    match &config.security.contact {
        Some(_) => Diagnosis::ok(AREA, "/.well-known/security.txt names a contact"),
        None => Diagnosis::warning(
            AREA,
            "security.contact is not set, so there is no /.well-known/security.txt",
            "Set security.contact to an address such as mailto:security@example.com.",
        ),
    }
}

/// Whether money can arrive.
fn money(config: &Config) -> Diagnosis {
    const AREA: &str = "payment";
    let payments = &config.payments;
    match (config.payment_mode(), payments.network) {
        (PaymentMode::Dev, _) => Diagnosis::off(AREA, "nothing is charged (payments.mode is dev)"),
        (PaymentMode::Live, PaymentNetwork::BaseSepolia) => Diagnosis::warning(
            AREA,
            "payments are taken on base-sepolia, whose money is worth nothing",
            "Set payments.network to base when you want to be paid.",
        ),
        (PaymentMode::Live, PaymentNetwork::Base) if payments.rpc_url.is_none() => Diagnosis::warning(
            AREA,
            "payments.rpc_url is not set: payments with an unclear outcome wait for you",
            "Set payments.rpc_url to a node of the network.",
        ),
        (PaymentMode::Live, PaymentNetwork::Base) => Diagnosis::ok(AREA, "payments are taken on base"),
    }
}

fn shown(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::super::condition::Condition;
    use super::*;
    use crate::config::SecretText;

    /// What a case does to a configuration.
    type Change = Box<dyn FnOnce(&mut Config)>;

    fn found(area: &str, change: impl FnOnce(&mut Config)) -> (Condition, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("audit.db");
        let mut config = Config { database_url: format!("sqlite://{}", file.display()), ..Config::default() };
        change(&mut config);
        let all = judged(&config);
        let one = all.into_iter().find(|one| one.area == area).unwrap();
        assert_eq!(one.remedy.is_some(), matches!(one.condition, Condition::Warning | Condition::Problem), "{one:?}");
        (one.condition, one.found)
    }

    #[test]
    fn each_setting_is_told_with_what_follows_from_it() {
        let base = |url: &'static str| move |config: &mut Config| config.base_url = Some(url.to_owned());
        let https = base("https://audit.example.com");
        let postgres = |config: &mut Config| config.database_url = "postgres://db/audit".to_owned();
        let secret = |config: &mut Config| config.auth.secret = Some(SecretText::new("a".repeat(32)));
        let live = |config: &mut Config| {
            config.payments.pay_to = Some(format!("0x{}", "a".repeat(40)));
            config.payments.network = PaymentNetwork::Base;
        };
        let cases: Vec<(&str, Condition, &str, Change)> = vec![
            ("base_url", Condition::Warning, "base_url is not set", Box::new(|_| ())),
            ("base_url", Condition::Ok, "is the public origin", Box::new(https)),
            ("base_url", Condition::Ok, "for this machine only", Box::new(base("http://localhost:8080"))),
            ("base_url", Condition::Problem, "plain http", Box::new(base("http://audit.example.com"))),
            ("proxies", Condition::Ok, "no proxy is trusted", Box::new(|_| ())),
            ("proxies", Condition::Problem, "trusted_proxies is empty", Box::new(https)),
            (
                "proxies",
                Condition::Ok,
                "proxies at 10.0.0.0/8 are trusted",
                Box::new(|config| config.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()]),
            ),
            (
                "proxies",
                Condition::Problem,
                "trusted_proxies has 0.0.0.0/0",
                Box::new(|config| config.trusted_proxies = vec!["0.0.0.0/0".parse().unwrap()]),
            ),
            ("secret", Condition::Ok, "will be made at the first start", Box::new(|_| ())),
            ("secret", Condition::Ok, "auth.secret is set", Box::new(secret)),
            ("secret", Condition::Off, "accounts need https", Box::new(base("http://audit.example.com"))),
            ("secret", Condition::Problem, "auth.secret is not set", Box::new(postgres)),
            (
                "secret",
                Condition::Ok,
                "the same on all servers",
                Box::new(move |config| {
                    postgres(config);
                    secret(config);
                }),
            ),
            ("operator", Condition::Warning, "operator.token is not set", Box::new(|_| ())),
            (
                "operator",
                Condition::Ok,
                "gives access to /metrics",
                Box::new(|config| config.operator.token = Some(SecretText::new("t"))),
            ),
            ("security.txt", Condition::Warning, "security.contact is not set", Box::new(|_| ())),
            (
                "security.txt",
                Condition::Ok,
                "names a contact",
                Box::new(|config| config.security.contact = Some("mailto:a@example.com".to_owned())),
            ),
            ("payment", Condition::Off, "nothing is charged", Box::new(|_| ())),
            ("payment", Condition::Warning, "payments.rpc_url is not set", Box::new(live)),
            (
                "payment",
                Condition::Ok,
                "taken on base",
                Box::new(move |config| {
                    live(config);
                    config.payments.rpc_url = Some(SecretText::new("https://node.example/"));
                }),
            ),
            (
                "payment",
                Condition::Warning,
                "worth nothing",
                Box::new(move |config| {
                    live(config);
                    config.payments.network = PaymentNetwork::BaseSepolia;
                }),
            ),
        ];
        for (area, condition, words, change) in cases {
            let (given, text) = found(area, change);
            assert!(given == condition && text.contains(words), "{area}: {given:?} {text}, not {condition:?} {words}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_that_others_can_read_is_a_problem() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("audit.db.secret");
        std::fs::write(&secret, "x").unwrap();
        let database_url = format!("sqlite://{}", folder.path().join("audit.db").display());
        for (mode, words) in [(0o644, "can be read by other users"), (0o600, "readable by its owner only")] {
            std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(mode)).unwrap();
            let (_, text) = found("secret", |config| config.database_url.clone_from(&database_url));
            assert!(text.contains(words), "{text}");
        }
    }
}
