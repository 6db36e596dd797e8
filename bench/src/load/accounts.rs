//! Sign-ins with right passwords: accounts are made by their mail first.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use testkit::MailServer;

use super::arrivals::{Pool, Request, run, text};
use crate::service;

/// Accounts that sign in in turn.
const ACCOUNTS: u8 = 20;
const PASSWORD: &str = "yellow canary sings low";

/// Sign-ins at 5, 10 and 20 a second.
pub(super) async fn sign_ins(program: &Path, lasts: Duration) -> Result<()> {
    let mail = MailServer::start().await;
    let url = mail.url();
    let settings = [
        ("SMTP__URL", url.as_str()),
        ("SMTP__FROM", "audit@example.com"),
        ("AUTH__SECRET", "a secret of a measurement, of 32 bytes"),
    ];
    let service = service::start_with(program, "accounts", &settings)?;
    let pool = Arc::new(Pool::new(&service.address)?);
    let mut sign_ins = Vec::new();
    for number in 0..ACCOUNTS {
        // A network may ask for few accounts an hour.
        let pool = Pool::beginning_at(&service.address, number)?;
        let visitor = Visitor::open(&pool, &service.address).await?;
        let email = format!("person{number}@example.com");
        visitor.post(&pool, "/api/auth/register", &json!({ "email": email })).await?;
        let letters = mail.wait_for(usize::from(number) + 1).await;
        let link = letters.last().context("no mail")?.link("http");
        let token = link.split_once("token=").context("no token")?.1;
        let complete = json!({ "token": token, "password": PASSWORD });
        visitor.post(&pool, "/api/auth/register/complete", &complete).await?;
        sign_ins.push(visitor.request("/api/auth/sign-in", &json!({ "email": email, "password": PASSWORD })));
    }
    for rate in [5, 10, 20] {
        run(&pool, &sign_ins, rate, lasts).await?.print(&format!("sign-ins, {rate}/s"));
    }
    Ok(())
}

/// A browser that nobody is signed in with.
struct Visitor {
    fields: String,
}

impl Visitor {
    async fn open(pool: &Pool, address: &str) -> Result<Self> {
        let (head, body) = pool.call_with_head(&Request::new("GET", "/api/auth/bootstrap", "", "")).await?;
        let csrf = text(&serde_json::from_slice::<Value>(&body)?, "csrf")?;
        let cookies: Vec<&str> =
            head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()).collect();
        let fields = format!("cookie: {}\r\nx-csrf-token: {csrf}\r\norigin: http://{address}\r\n", cookies.join("; "));
        Ok(Self { fields })
    }

    fn request(&self, path: &str, body: &Value) -> Request {
        Request::new("POST", path, &self.fields, &body.to_string())
    }

    async fn post(&self, pool: &Pool, path: &str, body: &Value) -> Result<()> {
        let (status, answer) = pool.call(&self.request(path, body)).await?;
        anyhow::ensure!(matches!(status, 200 | 202), "{path}: {status} {}", String::from_utf8_lossy(&answer));
        Ok(())
    }
}
