//! `site-audit serve`, the default; and `migrate`, `openapi`, `healthcheck`.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::output::{is_colour_wanted, print};
use super::place::{ConfigArguments, require_database, runtime};
use api::documents::openapi;
use api::request::Patience;
use api::web;
use service::Services;
use service::database::open_store;
use service::jobs;
use service::payments::worker;
use service::ports::Ports;
use store::ServerLock;

use crate::observe;

/// How long a running service has for its answer to a health check.
const HEALTH_TIME: Duration = Duration::from_secs(5);

/// Exit code of a process that SIGINT ended, as shells give it: 128 and its number.
const INTERRUPTED: u8 = 130;

impl ConfigArguments {
    /// Serves until it is asked to stop.
    #[expect(clippy::disallowed_methods, reason = "the listener")]
    pub(super) fn serve(self) -> Result<ExitCode> {
        let config = self.config()?;
        let _log = observe::start(&config.log, is_colour_wanted())?;
        log_panics();
        runtime()?.block_on(async {
            let listener =
                TcpListener::bind(config.listen).await.map_err(|error| not_listening(config.listen, &error))?;
            let address = listener.local_addr().context("listen: the address is not known")?;
            for network in &config.fetch.allow_private {
                tracing::warn!(%network, "fetch.allow_private lifts the rule that keeps audits off this network");
            }
            for key in config.pix.missing() {
                tracing::warn!(key, "credit by Pix is off: this key is not set, but other pix keys are");
            }
            let database_url = config.database_url.clone();
            // The routes of the pages are put together while the database is opened, which has threads of its own.
            let opened = crate::assembly::open(config, Ports::real(), address);
            let (site, pages) = tokio::join!(opened, async { pages::pages() });
            let site = site?;
            // Two servers would each count limits, run jobs and settle payments on one file.
            let lock = ServerLock::take(&database_url).map_err(|error| {
                let cause = anyhow::Error::new(error);
                anyhow!("database_url: {cause:#}; stop that server, or set another database with --database-url")
            })?;
            let services = site.services().clone();
            // Before the background work begins, which takes the processor from the first answer; the rest of the routes while the
            // database notes what the process before has left.
            let routes = async { web::router(site, pages) };
            let (payments, routes) = tokio::join!(worker::start(services.clone()), routes);
            let (interrupts, terminations) = signals::listen().context("could not listen for signals")?;
            let background = jobs::start(services.clone());
            if let Err(error) = print(&welcome(&services, address)) {
                tracing::warn!(%address, error = format!("{error:#}"), "listening; the greeting can't be printed");
            }
            let (heard, was_heard) = oneshot::channel();
            let serving = async {
                web::serve(listener, routes, Patience::default(), stop(was_heard, terminations)).await;
                services.running().end().await;
                payments.stop().await;
                services.payments().ongoing().end().await;
            };
            tokio::select! {
                () = interrupted_twice(heard, interrupts) => return Ok(ExitCode::from(INTERRUPTED)),
                () = serving => {}
            }
            background.stop().await;
            services.database().store().close().await;
            drop(lock);
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Brings the tables of the database up to date.
    pub(super) fn migrate(self) -> Result<ExitCode> {
        let config = self.config()?;
        require_database(&config)?;
        runtime()?.block_on(async {
            let store = open_store(&config.database_url).await?;
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
            // An unspecified address is reached through the loopback address.
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

/// Why an address can't be listened on, and what to do.
fn not_listening(address: SocketAddr, error: &std::io::Error) -> anyhow::Error {
    let (ip, port) = (address.ip(), address.port());
    match error.kind() {
        ErrorKind::AddrInUse => {
            anyhow!(
                "listen: {address} is in use by another program; choose another with --listen, or stop that program"
            )
        }
        ErrorKind::PermissionDenied => {
            anyhow!("listen: this user may not listen on port {port}; choose a port from 1024 with --listen")
        }
        ErrorKind::AddrNotAvailable => {
            anyhow!("listen: this machine does not have the address {ip}; choose another with --listen")
        }
        _ => anyhow!("listen: can't listen on {address}: {error}; choose another with --listen"),
    }
}

/// The status of `GET /api/health`. Written out: the only HTTP client here is the guarded one, which never goes to
/// this machine.
#[expect(clippy::disallowed_methods, reason = "a health check of this machine, where the guarded client never goes")]
async fn ask(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(address).await.with_context(|| format!("{address} can't be reached"))?;
    let request = format!("GET /api/health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::new();
    stream.take(1024).read_to_end(&mut head).await?;
    let head = String::from_utf8_lossy(&head).into_owned();
    head.split(' ').nth(1).map(str::to_owned).with_context(|| format!("{address} gave no HTTP answer"))
}

fn welcome(services: &Services, address: SocketAddr) -> String {
    let base = services.base_url();
    format!(
        "{} listens on {address}: {base}/\n\nTry it:\n  curl -s {base}/api/audit -H 'content-type: application/json' -d '{{\"url\":\"https://example.com/\"}}'\n",
        services.config().product.name
    )
}

/// Requests to stop. Listened for before the address is printed: a signal that comes earlier than its listener is lost.
#[cfg(unix)]
mod signals {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) type Interrupts = Signal;
    pub(super) type Terminations = Signal;

    pub(super) fn listen() -> std::io::Result<(Interrupts, Terminations)> {
        Ok((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
    }
}

/// Requests to stop.
#[cfg(windows)]
mod signals {
    use tokio::signal::windows::{CtrlC, CtrlShutdown, ctrl_c, ctrl_shutdown};

    pub(super) type Interrupts = CtrlC;
    pub(super) type Terminations = CtrlShutdown;

    pub(super) fn listen() -> std::io::Result<(Interrupts, Terminations)> {
        Ok((ctrl_c()?, ctrl_shutdown()?))
    }
}

/// Resolves when the process is asked to stop: by an interrupt, which another listens for, or by a termination.
async fn stop(interrupted: oneshot::Receiver<()>, mut terminations: signals::Terminations) {
    tokio::select! {
        Ok(()) = interrupted => {}
        _ = terminations.recv() => {}
    }
    tracing::info!("stopping: waiting for running calls");
}

/// Reports the first Ctrl-C through `heard`, and resolves at the second, which ends the process at once. One listener
/// for both, so that a quick second one is not lost.
async fn interrupted_twice(heard: oneshot::Sender<()>, mut interrupts: signals::Interrupts) {
    interrupts.recv().await;
    if heard.send(()).is_err() {
        tracing::debug!("the service was stopping already");
    }
    interrupts.recv().await;
}

/// A panic is a defect: it goes to the log like everything else, in one event.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message = panic.payload_as_str().unwrap_or_default(), "a panic; this is a defect");
    }));
}
