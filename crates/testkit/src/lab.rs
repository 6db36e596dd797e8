//! A server that answers like the PageSpeed Insights API, with every class of error.

use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use crate::site::{ReceivedRequest, SiteAnswer, TestSite};

/// How the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabMood {
    /// With a result of the strategy that was asked for, and field data of the page.
    Measure,
    /// The same, of a page that has become faster.
    MeasureFaster,
    /// With a result once [`LabServer::release`] was called.
    Hold,
    /// Not at all.
    Silence,
    /// 500: Lighthouse could not load the page.
    PageFails,
    /// 200 with a result that has a runtime error and no scores.
    PageFailsInside,
    /// 400: the key is not valid.
    BadKey,
    /// 403: the API is not enabled.
    Forbidden,
    /// 429, with `Retry-After: 7`.
    Quota,
    /// 502 of a proxy.
    Trouble,
    /// 200 with HTML.
    Html,
}

/// The running server; stops when dropped.
#[derive(Debug)]
pub struct LabServer {
    site: TestSite,
    mood: Arc<Mutex<LabMood>>,
    release: watch::Sender<bool>,
}

impl LabServer {
    /// Starts a server that measures.
    pub async fn start() -> Self {
        let mood = Arc::new(Mutex::new(LabMood::Measure));
        let (release, released) = watch::channel(false);
        let now = Arc::clone(&mood);
        let site = TestSite::start(move |asked| answer(*now.lock().unwrap(), asked, &released)).await;
        Self { site, mood, release }
    }

    /// The URL of its method.
    pub fn url(&self) -> String {
        self.site.url("/pagespeedonline/v5/runPagespeed")
    }

    /// Answers like this from now on.
    pub fn set(&self, mood: LabMood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Holds answers from now on.
    pub fn hold(&self) {
        self.release.send_replace(false);
        self.set(LabMood::Hold);
    }

    /// Lets answers go that are held.
    pub fn release(&self) {
        self.release.send_replace(true);
    }

    /// Paths of all requests, with their queries.
    pub fn asked(&self) -> Vec<String> {
        self.site.asked().into_iter().map(|asked| asked.path).collect()
    }
}

fn answer(mood: LabMood, asked: &ReceivedRequest, released: &watch::Receiver<bool>) -> SiteAnswer {
    let json = |status: u16, body: &str| SiteAnswer::page(status, "application/json", body);
    let error = |status: u16, message: &str, reason: &str, word: &str| {
        json(
            status,
            &format!(
                r#"{{"error":{{"code":{status},"message":"{message}","errors":[{{"reason":"{reason}"}}],"status":"{word}"}}}}"#
            ),
        )
    };
    let strategy = if asked.path.contains("strategy=desktop") { "desktop" } else { "mobile" };
    let result = RESULT.replace("STRATEGY", strategy).replace("JPEG", JPEG);
    let measured = json(200, &result);
    match mood {
        LabMood::Measure => measured,
        LabMood::MeasureFaster => json(200, &result.replace(":0.74", ":0.91").replace("4120.5", "2910")),
        LabMood::Hold => SiteAnswer::Held(Box::new(measured), released.clone()),
        LabMood::Silence => SiteAnswer::Silence,
        LabMood::PageFails => error(
            500,
            "Lighthouse returned error: NO_FCP. The page did not paint any content.",
            "lighthouseError",
            "INTERNAL",
        ),
        LabMood::PageFailsInside => json(
            200,
            r#"{"lighthouseResult":{"runtimeError":{"code":"ERRORED_DOCUMENT_REQUEST","message":"404"},"categories":{"performance":{"score":null}}}}"#,
        ),
        LabMood::BadKey => error(400, "API key not valid. Pass a valid key.", "badRequest", "INVALID_ARGUMENT"),
        LabMood::Forbidden => error(403, "The API is not enabled.", "forbidden", "PERMISSION_DENIED"),
        LabMood::Quota => SiteAnswer::Raw(
            b"HTTP/1.1 429 X\r\nretry-after: 7\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".to_vec(),
        ),
        LabMood::Trouble => SiteAnswer::page(502, "text/html", "<title>Bad gateway</title>"),
        LabMood::Html => SiteAnswer::html("<title>Please wait</title>"),
    }
}

/// A picture of 60 by 40 pixels: white with a grey heading.
const JPEG: &str = "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAoADwDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAQDBv/EACkQAAEBBQcEAwEAAAAAAAAAAAACAQMEEaISExQVU2PhJTFB8CIyYcH/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8A6R4tLtDVrbJLO7THGw+pS00fur5yp3OU/MiTLd6nkDfGw+pS0Y2H1KWmGW71PIy3ep5A3xsPqUtGNh9Slphlu9TyMt3qeQKXcU5eLYhC5qb2ZJpsRuIG5fJeXk5eLJYBm/vLlV19/BJ1D2yXgCDqHtkdQ9sl4AnhcR8sR+S7fwoAAAAAAAAAAAAAAAP/2Q==";

/// A small answer of the API.
const RESULT: &str = r#"{"kind":"pagespeedonline#result","id":"https://example.com/",
"loadingExperience":{"metrics":{"LARGEST_CONTENTFUL_PAINT_MS":{"percentile":2610,"category":"AVERAGE","distributions":[
 {"min":0,"max":2500,"proportion":0.72},{"min":2500,"max":4000,"proportion":0.17},{"min":4000,"proportion":0.11}]}}},
"lighthouseResult":{"lighthouseVersion":"13.5.0","fetchTime":"2026-01-31T09:30:20.000Z","configSettings":{"formFactor":"STRATEGY"},
"categories":{"performance":{"score":0.74,"auditRefs":[{"id":"largest-contentful-paint","weight":25,"group":"metrics"},
 {"id":"total-blocking-time","weight":30,"group":"metrics"},{"id":"cumulative-layout-shift","weight":25,"group":"metrics"},
 {"id":"image-delivery-insight","weight":0,"group":"insights"}]},
 "accessibility":{"score":0.88,"auditRefs":[{"id":"color-contrast","weight":7}]},"best-practices":{"score":1},"seo":{"score":0.4}},
"audits":{"largest-contentful-paint":{"title":"Largest Contentful Paint","score":0.47,"scoreDisplayMode":"numeric",
  "numericValue":4120.5,"numericUnit":"millisecond","displayValue":"4.1 s"},
 "total-blocking-time":{"title":"Total Blocking Time","score":0.88,"scoreDisplayMode":"numeric","numericValue":210,
  "numericUnit":"millisecond","displayValue":"210 ms"},
 "cumulative-layout-shift":{"title":"Cumulative Layout Shift","score":1,"scoreDisplayMode":"numeric","numericValue":0.0312,
  "numericUnit":"unitless","displayValue":"0.031"},
 "image-delivery-insight":{"title":"Improve image delivery","score":0.5,"scoreDisplayMode":"metricSavings",
  "displayValue":"Est savings of 240 KiB","metricSavings":{"LCP":1200},"details":{"debugData":{"wastedBytes":245760}}},
 "screenshot-thumbnails":{"title":"Screenshot Thumbnails","score":1,"scoreDisplayMode":"informative","details":{"type":"filmstrip",
  "items":[{"timing":300,"timestamp":1,"data":"JPEG"},{"timing":4200,"timestamp":2,"data":"JPEG"}]}},
 "color-contrast":{"title":"Background and foreground colors do not have a sufficient contrast ratio.","score":0,
  "scoreDisplayMode":"binary"}}},
"analysisUTCTimestamp":"2026-01-31T09:30:25.000Z"}"#;
