//! How Chromium is started: headless, on a pipe, with the proxy as its only way out.

use std::net::SocketAddr;
use std::path::Path;

/// Switches that do not depend on the run: first what closes other ways out, then what keeps a measurement quiet.
const SWITCHES: [&str; 27] = [
    // Also addresses of this machine go to the proxy.
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-hang-monitor",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-first-run",
    "--password-store=basic",
];
/// Features that ask servers of their own, or that would ask for a page twice.
const FEATURES: &str = "--disable-features=HttpsUpgrades,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,AutofillServerCommunication,PrivacySandboxSettings4,RenderDocument,DnsOverHttps,AsyncDns";
/// Heap limit of the scripts of a tab, in MiB: what they hold beside it counts for the memory of the run.
pub(crate) const HEAP_MEBIBYTES: u32 = 1_024;

/// All switches of a run.
pub(crate) fn switches(profile: &Path, proxy: SocketAddr, sandbox: bool) -> Vec<String> {
    let mut switches: Vec<String> = SWITCHES.iter().map(|switch| (*switch).to_owned()).collect();
    switches.extend([FEATURES.to_owned(), format!("--js-flags=--max-old-space-size={HEAP_MEBIBYTES}")]);
    switches.push(format!("--proxy-server=http://{proxy}"));
    // The browser resolves no name, even where it would not ask the proxy.
    switches.push(format!("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {}", proxy.ip()));
    switches.push(format!("--user-data-dir={}", profile.display()));
    if !sandbox {
        switches.push("--no-sandbox".to_owned());
    }
    switches.push("about:blank".to_owned());
    switches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_off_only_where_it_is_turned_off() {
        let is_off = |sandbox| {
            let switches = switches(Path::new("/profile"), ([127, 0, 0, 1], 1).into(), sandbox);
            switches.iter().any(|switch| switch == "--no-sandbox")
        };
        assert_eq!((is_off(true), is_off(false)), (false, true));
    }
}
