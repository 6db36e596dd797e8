//! The timeouts of an audit: what of a site or of this machine never comes ends when it has to, on a clock that is paused.

use std::net::TcpListener;
use std::sync::mpsc;

use audit::supplied::Supplied;
use fetch::{FetchConfig, FetchTimeouts};
use futures_util::poll;
use model::capture::{FetchFailure, Hop};
use model::time::Timestamp;
use tokio::sync::oneshot;

use super::*;

/// A page at an address that nothing is fetched from: private addresses are refused.
const REFUSED: &str = "http://127.0.0.1/";

/// An engine with one core, for sites on this machine where `is_private` ones are allowed. A response may take longer than
/// its page.
fn engine(is_private: bool) -> Engine {
    let far = Duration::from_secs(600);
    let config = FetchConfig {
        allow_private: if is_private { vec!["127.0.0.0/8".parse().unwrap()] } else { Vec::new() },
        allow_ports: Vec::new(),
        limits: FetchTimeouts { head: far, ..FetchTimeouts::default() },
        ..FetchConfig::default()
    };
    Engine::new(Fetcher::new(config).unwrap(), Cores::start(1).unwrap())
}

fn supplied() -> Capture {
    Supplied::page(REFUSED.parse().unwrap(), b"<p>a".to_vec()).capture(Timestamp(0))
}

fn inputs() -> AuditInputs {
    AuditInputs {
        started_at: Timestamp(0),
        nonce: "0".repeat(32),
        scheme: Scheme::Typed,
        progress: None,
        keep_sitemaps: false,
    }
}

#[tokio::test(start_paused = true)]
#[expect(clippy::disallowed_methods, reason = "a site that never answers")]
async fn a_page_has_20_seconds_and_its_audit_23() {
    let engine = engine(true);
    assert_eq!(engine.deadline() - Instant::now(), Duration::from_secs(23));
    // The system takes connections to it; nobody reads them.
    let silent = TcpListener::bind("127.0.0.2:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap()).parse().unwrap();
    let begun = Instant::now();
    let Fetched::Failed(failure) = engine.page(&url, engine.deadline()).await else { panic!("nobody answered") };
    assert_eq!((failure.kind, begun.elapsed().as_secs()), (FailureKind::Timeout, 20));
}

#[tokio::test(start_paused = true)]
async fn a_test_may_give_a_page_and_its_audit_less() {
    let left =
        |engine: &Engine| [engine.page_deadline(), engine.deadline()].map(|end| (end - Instant::now()).as_secs());
    let engine = engine(false);
    assert_eq!(left(&engine), [20, 23]);
    assert_eq!(left(&engine.waiting(Duration::from_secs(7))), [7, 7]);
}

#[tokio::test(start_paused = true)]
async fn a_supplied_page_waits_10_seconds_for_a_core() {
    let engine = engine(false);
    let (_release, begun) = hold(engine.cores()).await;
    let refused = engine.judge(supplied(), drop).await.unwrap_err();
    assert!(matches!(refused, AuditFailure::Overloaded), "{refused:?}");
    assert_eq!(begun.elapsed().as_secs(), 10);
}

/// What was measured until the deadline is judged a second after it at the latest.
#[tokio::test]
async fn a_gathered_audit_waits_a_second_past_its_deadline_for_a_core() {
    let engine = engine(false);
    let deadline = engine.deadline();
    let (url, page) = (REFUSED.parse().unwrap(), supplied().page);
    let mut audit = Box::pin(engine.audit_page(&url, page, inputs(), deadline, drop));
    // The core is held, then parses, and then is held again: judging is queued behind that.
    let (first, _) = hold(engine.cores()).await;
    assert!(poll!(&mut audit).is_pending());
    assert_eq!(engine.core_queues().usual, 1, "parsing");
    let mut holding = Box::pin(hold(engine.cores()));
    assert!(poll!(&mut holding).is_pending());
    drop(first);
    let (_release, _) = holding.await;
    while engine.core_queues().usual == 0 {
        assert!(poll!(&mut audit).is_pending());
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    let refused = audit.await.unwrap_err();
    assert!(matches!(refused, AuditFailure::Overloaded), "{refused:?}");
    assert_eq!((Instant::now() - deadline).as_secs(), 1);
}

/// Holds the only one of `cores` until the returned sender is dropped; since when.
pub(super) async fn hold(cores: &Cores) -> (mpsc::Sender<()>, Instant) {
    let (release, released) = mpsc::channel::<()>();
    let (began, begun) = oneshot::channel();
    let work = move || {
        began.send(()).unwrap();
        assert!(released.recv().is_err(), "nothing is ever sent");
    };
    let far = Instant::now() + Duration::from_secs(600);
    let mut holding = Box::pin(cores.run(0, far, work));
    // It goes on where nobody waits for it.
    assert!(poll!(&mut holding).is_pending());
    begun.await.unwrap();
    (release, Instant::now())
}

#[test]
fn https_is_refused_only_where_no_connection_or_no_tls_came_about() {
    let failed = |kind, reason: &str, hops| {
        let failure = FetchFailure { kind, reason: reason.to_owned(), hops, url: REFUSED.to_owned() };
        is_https_refused(&Fetched::Failed(failure))
    };
    let check = |kind, reason, expected| assert_eq!(failed(kind, reason, Vec::new()), expected, "{kind:?} {reason}");
    check(FailureKind::Unreachable, "connect", true);
    check(FailureKind::Unreachable, "tls_handshake", true);
    check(FailureKind::Timeout, "connect", true);
    check(FailureKind::Timeout, "tls", true);
    // A certificate that does not hold, a name that is not there, and an answer that never came are no refusal.
    check(FailureKind::Unreachable, "cert_expired", false);
    check(FailureKind::Unreachable, "dns", false);
    check(FailureKind::Timeout, "head", false);
    check(FailureKind::AddressNotAllowed, "connect", false);
    let Fetched::Response(page) = supplied().page else { panic!("a page was supplied") };
    let hop = Hop { url: REFUSED.to_owned(), status: 301, location: "/".to_owned() };
    assert!(!failed(FailureKind::Unreachable, "connect", vec![hop]));
    assert!(!is_https_refused(&Fetched::Response(page)));
}

#[tokio::test]
async fn large_pages_of_an_idle_engine_hold_nothing_of_96_mib() {
    assert_eq!(engine(false).large_pages(), (0, 96 * 1024 * 1024));
}
