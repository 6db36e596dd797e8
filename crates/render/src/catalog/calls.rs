//! A call of the API in a few languages, to be copied.

/// A request to be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleRequest {
    /// GET, POST…
    pub method: String,
    /// Absolute.
    pub url: String,
    /// What says who calls.
    pub credential: Option<SampleCredential>,
    /// A body of JSON.
    pub body: Option<String>,
}

/// The header that says who calls, whose secret is in a variable of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleCredential {
    /// Name of the header.
    pub header: &'static str,
    /// What comes before the secret, such as `Bearer `.
    pub scheme: &'static str,
    /// Name of the variable.
    pub variable: &'static str,
}

impl SampleRequest {
    /// The call that audits a page.
    pub fn audit(origin: &str) -> Self {
        Self {
            method: "POST".to_owned(),
            url: format!("{origin}/api/audit"),
            credential: None,
            body: Some(r#"{"url":"https://example.com/"}"#.to_owned()),
        }
    }

    /// With curl, which everybody has.
    pub fn curl(&self) -> String {
        let Self { method, url, credential, body } = self;
        let method = match (method.as_str(), body) {
            ("GET", None) | ("POST", Some(_)) => String::new(),
            (method, _) => format!("-X {method} "),
        };
        let url = if url.contains(['?', '&', '{']) { format!("'{url}'") } else { url.clone() };
        let credential = credential
            .map(|SampleCredential { header, scheme, variable }| format!(" -H \"{header}: {scheme}${variable}\""));
        let credential = credential.unwrap_or_default();
        let body = body
            .as_ref()
            .map(|body| format!(" -H 'content-type: application/json' -d '{}'", body.replace('\'', "'\\''")));
        format!("curl -s {method}{url}{credential}{}", body.unwrap_or_default())
    }

    fn javascript(&self) -> String {
        let mut options = Vec::new();
        if self.method != "GET" {
            options.push(format!("  method: \"{}\",\n", self.method));
        }
        let mut headers: Vec<String> = self
            .credential
            .iter()
            .map(|of| format!("\"{}\": `{}${{process.env.{}}}`", of.header, of.scheme, of.variable))
            .collect();
        if let Some(body) = &self.body {
            headers.push("\"content-type\": \"application/json\"".to_owned());
            options.push(format!("  headers: {{ {} }},\n  body: JSON.stringify({body}),\n", headers.join(", ")));
        } else if !headers.is_empty() {
            options.push(format!("  headers: {{ {} }},\n", headers.join(", ")));
        }
        let options = if options.is_empty() { String::new() } else { format!(", {{\n{}}}", options.concat()) };
        format!(
            "const response = await fetch(\"{}\"{options});\nif (!response.ok) throw new Error(await response.text());\nconsole.log(await response.text());",
            self.url
        )
    }

    fn python(&self) -> String {
        let mut headers: Vec<String> = self
            .credential
            .iter()
            .map(|of| format!("\"{}\": \"{}\" + os.environ[\"{}\"]", of.header, of.scheme, of.variable))
            .collect();
        let data = self.body.as_ref().map(|body| {
            headers.push("\"content-type\": \"application/json\"".to_owned());
            format!("    data={}.encode(),\n", quoted(body))
        });
        let import = if self.credential.is_some() { "import os\n" } else { "" };
        format!(
            "{import}import urllib.request\n\nrequest = urllib.request.Request(\n    \"{}\",\n    method=\"{}\",\n{}    headers={{{}}},\n)\nwith urllib.request.urlopen(request) as response:\n    print(response.read().decode())",
            self.url,
            self.method,
            data.unwrap_or_default(),
            headers.join(", "),
        )
    }

    fn rust(&self) -> String {
        let mut steps = String::new();
        if let Some(SampleCredential { header, scheme, variable }) = self.credential {
            steps.push_str(&format!(
                "    .header(\"{header}\", format!(\"{scheme}{{}}\", std::env::var(\"{variable}\")?))\n"
            ));
        }
        if let Some(body) = &self.body {
            steps.push_str(&format!(
                "    .header(\"content-type\", \"application/json\")\n    .body({})\n",
                quoted(body)
            ));
        }
        format!(
            "// reqwest with the feature blocking\nlet response = reqwest::blocking::Client::new()\n    .request(reqwest::Method::{}, \"{}\")\n{steps}    .send()?\n    .error_for_status()?;\nprintln!(\"{{}}\", response.text()?);",
            self.method, self.url
        )
    }

    /// The call in each language, with its name.
    pub fn all(&self) -> [(&'static str, String); 4] {
        [("curl", self.curl()), ("JavaScript", self.javascript()), ("Python", self.python()), ("Rust", self.rust())]
    }
}

/// A text as a string literal, which JSON, Python and Rust write alike: `\n` and `\"` mean the same in all three.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The call that audits a page, with curl.
pub fn curl(origin: &str) -> String {
    SampleRequest::audit(origin).curl()
}

/// The call that audits a page, in each language.
pub fn all(origin: &str) -> [(&'static str, String); 4] {
    SampleRequest::audit(origin).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_in_each_language() {
        let with_token = SampleRequest {
            method: "GET".to_owned(),
            url: "https://audit.example.com/api/tabs?q=1".to_owned(),
            credential: Some(SampleCredential { header: "X-Guest-Token", scheme: "", variable: "TOKEN" }),
            body: None,
        };
        assert_eq!(with_token.curl(), "curl -s 'https://audit.example.com/api/tabs?q=1' -H \"X-Guest-Token: $TOKEN\"");
        for (language, call) in with_token.all().into_iter().chain(SampleRequest::audit("https://a.example").all()) {
            assert!(call.contains("https://a"), "{language}: {call}");
        }
        let quote = SampleRequest { body: Some(r#"{"name":"it's"}"#.to_owned()), ..SampleRequest::audit("") };
        assert!(quote.curl().ends_with(r#"-d '{"name":"it'\''s"}'"#), "{}", quote.curl());
        assert!(quote.all()[2].1.contains(r#"data="{\"name\":\"it's\"}".encode()"#));
    }
}
