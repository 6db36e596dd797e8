//! `site-audit serve`, the default; and the small commands of one who runs a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::print;
use api::documents::openapi;
use api::request::Patience;
use api::web;
use service::Services;
use service::config::{Config, Sources};
use service::jobs;
use service::payments::worker;
use service::ports::Ports;

use crate::observe;

/// How long a running service has for its answer to a health check.
const HEALTH_TIME: Duration = Duration::from_secs(5);

/// Exit code of a process that SIGINT ended, as shells give it: 128 and its number.
const INTERRUPTED: u8 = 130;

/// Where the configuration comes from.
#[derive(Debug, Default, Args)]
pub(super) struct Arguments {
    /// Configuration file, TOML; by default site-audit.toml of this folder if there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on; port 0 picks a free one. By default 127.0.0.1:8080.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Public origin, for links. By default that of --listen.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// sqlite://PATH or postgres://… By default sqlite://data/site-audit.db.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

impl Arguments {
    pub(super) fn config(self) -> Result<Config> {
        let flags = [("listen", self.listen), ("base_url", self.base_url), ("database_url", self.database_url)];
        let flags = flags.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        Ok(Config::read(&Sources::of_process(self.config, flags))?)
    }

    /// Serves until it is asked to stop.
    pub(super) fn serve(self) -> Result<ExitCode> {
        let config = self.config()?;
        observe::start(&config.log)?;
        log_panics();
        runtime()?.block_on(async {
            let listener = TcpListener::bind(config.listen)
                .await
                .with_context(|| format!("listen: {} can't be listened on", config.listen))?;
            let address = listener.local_addr().context("listen: the address is not known")?;
            for network in &config.fetch.allow_private {
                tracing::warn!(%network, "fetch.allow_private lifts the rule that keeps audits off this network");
            }
            for key in config.pix.missing() {
                tracing::warn!(key, "credit by Pix is off: this key is not set, and others of it are");
            }
            let site = crate::open(config, Ports::real(), address).await?;
            let app = site.services().clone();
            let background = jobs::start(app.clone());
            let payments = worker::start(app.clone()).await;
            print(&welcome(&app, address))?;
            let (heard, was_heard) = oneshot::channel();
            let serving = async {
                web::serve(listener, crate::routes(site), Patience::default(), stop(was_heard)).await;
                payments.stop().await;
                app.payments().ongoing().end().await;
            };
            tokio::select! {
                () = interrupted_twice(heard) => return Ok(ExitCode::from(INTERRUPTED)),
                () = serving => {}
            }
            background.stop().await;
            app.database().store().close().await;
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Brings the tables of the database up to date.
    pub(super) fn migrate(self) -> Result<ExitCode> {
        let config = self.config()?;
        runtime()?.block_on(async {
            let store = store::Store::open(&config.database_url).await.context("the database (database_url)")?;
            store.close().await;
            print("the tables are up to date\n")?;
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Prints the OpenAPI description.
    pub(super) fn openapi(self) -> Result<ExitCode> {
        let config = self.config()?;
        let base_url = config.base_url.clone().unwrap_or_else(|| format!("http://{}", config.listen));
        let document = openapi::document(&api::handlers::catalog(), &config, base_url.trim_end_matches('/'));
        print(&(serde_json::to_string_pretty(&document)? + "\n"))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Asks the service on this machine whether it runs.
    pub(super) fn healthcheck(self) -> Result<ExitCode> {
        let config = self.config()?;
        let mut address = config.listen;
        if address.ip().is_unspecified() {
            // Who listens everywhere is asked on this machine.
            let loopback: [std::net::IpAddr; 2] = [[127, 0, 0, 1].into(), std::net::Ipv6Addr::LOCALHOST.into()];
            let [v4, v6] = loopback;
            address.set_ip(if address.is_ipv4() { v4 } else { v6 });
        }
        let answer = runtime()?.block_on(async { tokio::time::timeout(HEALTH_TIME, ask(address)).await });
        let status = answer.with_context(|| format!("{address} did not answer in time"))??;
        if status != "200" {
            bail!("{address} answered {status}");
        }
        print("ok\n")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The status of `GET /api/health`. Written out: the only HTTP client here is the guarded one, which never goes to
/// this machine.
async fn ask(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(address).await.with_context(|| format!("{address} can't be reached"))?;
    let request = format!("GET /api/health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::new();
    stream.take(1024).read_to_end(&mut head).await?;
    let head = String::from_utf8_lossy(&head).into_owned();
    head.split(' ').nth(1).map(str::to_owned).with_context(|| format!("{address} gave no HTTP answer"))
}

pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the runtime could not be started")
}

fn welcome(app: &Services, address: SocketAddr) -> String {
    let base = app.base_url();
    format!(
        "{} listens on {address}: {base}/\n\nTry it:\n  curl -s {base}/api/audit -H 'content-type: application/json' -d '{{\"url\":\"https://example.com/\"}}'\n",
        app.config().product.name
    )
}

/// Resolves when the process is asked to stop: by an interrupt, which another listens for, or by a termination.
async fn stop(interrupted: oneshot::Receiver<()>) {
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                tracing::error!(%error, "termination can't be waited for");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        Ok(()) = interrupted => {}
        () = terminated => {}
    }
    tracing::info!("stopping: calls in the making are finished first");
}

/// Tells of the first Ctrl-C, and resolves at the second: whoever waits for the end has seen enough. One listener hears
/// both, so that the second is not lost however soon it comes.
async fn interrupted_twice(heard: oneshot::Sender<()>) {
    #[cfg(unix)]
    let listener = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    #[cfg(windows)]
    let listener = tokio::signal::windows::ctrl_c();
    match listener {
        Ok(mut interrupts) => {
            interrupts.recv().await;
            if heard.send(()).is_err() {
                tracing::debug!("the service was stopping already");
            }
            interrupts.recv().await;
        }
        Err(error) => {
            tracing::error!(%error, "interrupts can't be waited for");
            std::future::pending::<()>().await;
        }
    }
}

/// A panic is a defect: it goes to the log like everything else, in one event.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message = panic.payload_as_str().unwrap_or_default(), "a panic; this is a defect");
    }));
}
