//! Memory of a service: what many callers at once take goes back to the operating system.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Cursor};
use std::process::Child;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat};
use serde_json::{Value, json};
use testkit::MailServer;

use super::program;

/// Sign-ins at once.
const SIGN_INS: usize = 48;
/// What they may take together, in KB.
const MOST_KB: u64 = 100 * 1024;
/// What of it may be kept afterwards, in KB: less than the memory of two hashes.
const KEPT_KB: u64 = 32 * 1024;

/// What drawing a picture may take, in KB.
const PICTURE_KB: u64 = 64 * 1024;

/// A line of `/proc/PID/status` in KB.
fn memory(child: &Child, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

/// Starts the program with these settings; its process and its address.
fn start(folder: &std::path::Path, settings: &[(&str, String)]) -> (Child, String) {
    let mut child = program()
        .args(["--listen", "127.0.0.1:0"])
        .envs(settings.iter().cloned())
        .current_dir(folder)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.split_once(": ").unwrap().1.trim().trim_end_matches('/').to_owned();
    (child, url)
}

/// A browser with its cookies.
struct Browser {
    agent: ureq::Agent,
    url: String,
    cookies: BTreeMap<String, String>,
    csrf: String,
}

impl Browser {
    fn open(url: &str) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut browser = Self { agent, url: url.to_owned(), cookies: BTreeMap::new(), csrf: String::new() };
        browser.bootstrap();
        browser
    }

    fn bootstrap(&mut self) {
        let (status, answer) = self.send("GET", "/api/auth/bootstrap", &Value::Null);
        assert_eq!(status, 200, "{answer}");
        answer["csrf"].as_str().unwrap().clone_into(&mut self.csrf);
    }

    /// Status and body of a call as a page of ours makes it.
    fn send(&mut self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("origin", &self.url)
            .header("cookie", cookies.join("; "))
            .header("x-csrf-token", &self.csrf)
            .header("content-type", "application/json");
        let mut answer = match body {
            Value::Null => self.agent.run(request.body(()).unwrap()),
            body => self.agent.run(request.body(body.to_string()).unwrap()),
        }
        .unwrap();
        for cookie in answer.headers().get_all("set-cookie") {
            let (name, value) = cookie.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        (answer.status().as_u16(), answer.body_mut().read_json().unwrap())
    }
}

/// Tries to sign in as nobody; the status.
fn sign_in(url: &str) -> u16 {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut bootstrap = agent.get(format!("{url}/api/auth/bootstrap")).call().unwrap();
    let cookie = bootstrap.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let csrf = bootstrap.body_mut().read_json::<serde_json::Value>().unwrap()["csrf"].as_str().unwrap().to_owned();
    let request = agent.post(format!("{url}/api/auth/sign-in"));
    let request = request.header("cookie", cookie).header("x-csrf-token", csrf).header("origin", url);
    let answer = request.send_json(json!({"email": "nobody@example.com", "password": "yellow canary sings low"}));
    answer.unwrap().status().as_u16()
}

/// The memory of each hash stayed with the thread that had made it.
#[test]
fn the_memory_of_many_sign_ins_is_bounded_and_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, url) = start(folder.path(), &[]);
    // Everything that is made once is made now.
    sign_in(&url);
    let idle = memory(&child, "VmRSS");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..SIGN_INS).map(|_| scope.spawn(|| sign_in(&url))).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    assert!(statuses.contains(&401), "{statuses:?}");
    let (peak, kept) = (memory(&child, "VmHWM"), memory(&child, "VmRSS"));
    assert!(peak <= idle + MOST_KB, "{} KB above idle", peak - idle);
    assert!(kept <= idle + KEPT_KB, "{} KB were kept", kept - idle);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A picture of 6,300 × 6,300 took 75 to 377 MB.
#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_a_picture_is_bounded_and_given_back() {
    let (folder, mail) = (tempfile::tempdir().unwrap(), MailServer::start().await);
    let settings = [("SITE_AUDIT_SMTP__URL", mail.url()), ("SITE_AUDIT_SMTP__FROM", "audit@example.com".to_owned())];
    let (mut child, url) = start(folder.path(), &settings);
    let mut browser = Browser::open(&url);
    assert_eq!(browser.send("POST", "/api/auth/register", &json!({"email": "ana@example.com"})).0, 202);
    let link = mail.wait_for(1).await.remove(0).link(&format!("{url}/conta/global/"));
    let token = link.split_once("token=").unwrap().1;
    let made = json!({"token": token, "password": "yellow canary sings low"});
    assert_eq!(browser.send("POST", "/api/auth/register/complete", &made).0, 200);
    browser.bootstrap();
    let small = DynamicImage::new_rgba8(8, 8);
    // The largest of each kind that is drawn, and larger ones.
    for (picture, format, status) in [
        (small, ImageFormat::Png, 200),
        (DynamicImage::new_rgba8(3_500, 3_500), ImageFormat::Png, 200),
        (DynamicImage::new_rgb8(3_500, 3_500), ImageFormat::Jpeg, 200),
        (DynamicImage::new_rgba8(2_200, 2_200), ImageFormat::WebP, 200),
        (DynamicImage::new_rgb16(2_200, 2_200), ImageFormat::Png, 200),
        (DynamicImage::new_rgb8(6_300, 6_300), ImageFormat::Png, 400),
        (DynamicImage::new_rgb8(6_300, 6_300), ImageFormat::Jpeg, 400),
        (DynamicImage::new_rgb8(3_500, 3_500), ImageFormat::WebP, 400),
    ] {
        let mut file = Cursor::new(Vec::new());
        picture.write_to(&mut file, format).unwrap();
        let image = json!({"image": STANDARD.encode(file.into_inner())});
        let idle = memory(&child, "VmRSS");
        // What it had at most is counted from here on (proc(5), `clear_refs`).
        std::fs::write(format!("/proc/{}/clear_refs", child.id()), "5").unwrap();
        assert_eq!(browser.send("PUT", "/api/auth/avatar", &image).0, status, "{format:?}");
        let (peak, kept) = (memory(&child, "VmHWM"), memory(&child, "VmRSS"));
        let name = format!("{format:?} of {} × {}", picture.width(), picture.height());
        assert!(peak <= idle + PICTURE_KB, "{name}: {} KB above idle", peak - idle);
        assert!(kept <= idle + KEPT_KB, "{name}: {} KB were kept", kept - idle);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
