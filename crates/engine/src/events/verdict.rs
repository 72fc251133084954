//! What a gate says: yes, or why not. Whatever is no clear yes is a no.

use serde_json::Value;

use crate::{Envelope, Status, reply};

/// Why a gate does not let a run through; nothing where it does.
pub(super) fn refusal(ran: &Envelope<reply::Run>) -> Option<String> {
    if ran.status == Status::Error {
        let said = ran.data.stderr.trim();
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        return Some(format!("[{}] {}{said}", ran.code.as_str(), ran.message));
    }
    said_no(ran.data.output.as_ref()?)
}

/// A no in our own words or in the vendors'.
fn said_no(answer: &Value) -> Option<String> {
    let specific = answer.get("hookSpecificOutput").unwrap_or(&Value::Null);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let is = |value: &Value, key: &str, words: &[&str]| {
        value.get(key).and_then(Value::as_str).is_some_and(|word| words.contains(&word))
    };
    let flag = |key: &str| answer.get(key) == Some(&Value::Bool(false));
    let said_no = is(answer, "decision", &["deny", "block"])
        || is(specific, "permissionDecision", &["deny", "ask"])
        || flag("success")
        || flag("continue")
        || flag("allow");
    let reasons = ["reason", "message", "stopReason", "error"].iter().find_map(|key| text(answer, key));
    let reason = reasons.or_else(|| text(specific, "permissionDecisionReason"));
    said_no.then(|| reason.unwrap_or_else(|| "it does not say why".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_no_is_a_no_in_every_dialect() {
        let told = |answer: Value| said_no(&answer);
        assert_eq!(told(json!({"decision": "deny", "reason": "late"})).as_deref(), Some("late"));
        assert_eq!(told(json!({"success": false})).as_deref(), Some("it does not say why"));
        assert_eq!(told(json!({"continue": false, "stopReason": "stop"})).as_deref(), Some("stop"));
        let vendor =
            json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}});
        assert_eq!(told(vendor).as_deref(), Some("no"));
        assert_eq!(told(json!({"decision": "approve"})), None);
        assert_eq!(told(json!({})), None);
        assert_eq!(told(json!("fine")), None);
    }
}
