fn audit(service: &str, page: &str) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
    let call = ureq::post(format!("{service}/api/audit")).config().http_status_as_error(false).build();
    let mut answer = call.send_json(serde_json::json!({ "url": page }))?;
    let audit: serde_json::Value = answer.body_mut().read_json()?;
    if !answer.status().is_success() {
        return Err(format!("{}: {}", audit["code"], audit["error"]).into());
    }
    Ok(audit)
}
