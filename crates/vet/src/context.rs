//! How a text is meant: as something to do, or as something to beware of.
//!
//! It reads the words around a text. A warning near a text that people are urged to run does not make it an example.

use crate::pattern::patterns;
use crate::scan::Setting;

patterns! {
    /// Words of those who warn, forbid or look for something; words that also have everyday uses are not among them.
    WARNING = r"\b(never|do not|don't|dont|must not|should not|shouldn't|avoid|detects?|detecting|detection|scans? for|scanner|scanning|",
        r"flagged|malicious|malware|attack(s|er|ers|ing)?|dangerous|danger|vulnerab[a-z]*|insecure|unsafe|suspicious|red flags?|",
        r"exploit(s|ation|able)?|injections?|threats?|anti-?patterns?|refuse[sd]?|forbidden|prohibited|phishing|destructive|catastrophic|",
        r"harmful|guardrails?|blacklist|denylist|blocklist|disallow(ed)?|pentest[a-z]*|penetration test[a-z]*|red team[a-z]*|untrusted|",
        r"adversarial|evasion|obfuscat[a-z]*|exfiltrat[a-z]*|backdoor[a-z]*|warning signs?)\b";
    /// Words that mark a line of code as wrong, where its comment says them.
    MARK = r"\b(bad|wrong|risky|incorrect|blocked|denied|rejected|fails?)\b";
    /// Words of those who want something done now.
    URGING = r"\b((copy|paste|run|execute|enter) (this|the|following|these|it)[a-z ]{0,30}(command|script|line|code|terminal|below)|",
        r"into (your |the )?terminal|in (your |the )?terminal|before (using|proceeding|you (start|begin|use))|",
        r"must be installed|is required to (use|run|function)|will not (work|function) (without|correctly|until|properly))";
    /// Words of a skill that looks for dangers.
    DEFENSIVE = r"\b(security (audit|scan|review|check|analy|guard|hardening|monitor|polic|test)[a-z]*|vulnerabilit(y|ies)|malware|threats?|",
            r"(audit|scan|review|check|vet)[a-z]* [a-z ,/-]{0,60}security([/-][a-z]+)? (issues?|risks?|problems?|flaws?)|",
            r"(detect|scan|audit|vet|block|prevent)[a-z]* (for |against )?[a-z ,]{0,40}(malicious|dangerous|threat|attack|injection|malware|vulnerab|destructive)[a-z]*|",
            r"prompt injection|pentest[a-z]*|penetration test[a-z]*|red team[a-z]*|guardrails?|exploit[a-z]*|yara|semgrep|fuzz[a-z]*)\b";
}

/// Signs that stand for "wrong".
const SIGNS: &[&str] = &["❌", "🚫", "⛔", "🛑", "☠", "✗", "✘"];

/// Whether words warn of something.
pub fn is_warning(words: &str) -> bool {
    SIGNS.iter().any(|sign| words.contains(sign)) || WARNING.is_in(words)
}

/// Whether the comment on a line of code warns of it.
pub fn is_mark(comment: &str) -> bool {
    is_warning(comment) || MARK.is_in(comment)
}

/// Whether words urge to do something.
pub fn is_urging(words: &str) -> bool {
    URGING.is_in(words)
}

/// How a text among these words is meant.
pub fn setting(words: &str, is_defensive: bool) -> Setting {
    if (is_defensive || is_warning(words)) && !is_urging(words) {
        Setting::Example
    } else {
        Setting::Instruction
    }
}

/// Whether a skill says of itself that it looks for dangers.
pub fn is_defensive(description: &str) -> bool {
    DEFENSIVE.is_in(description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, expected: Setting) {
        assert_eq!(setting(words, false), expected, "{words}");
    }

    #[test]
    fn what_is_warned_of_is_an_example() {
        check("Never run this:", Setting::Example);
        check("Patterns that the scanner detects", Setting::Example);
        check("❌ Wrong", Setting::Example);
        check("Install the tool:", Setting::Instruction);
    }

    #[test]
    fn a_warning_does_not_excuse_what_people_are_urged_to_run() {
        check("Dangerous, but copy this command into your terminal:", Setting::Instruction);
        check("Security: the agent must be installed before using this skill", Setting::Instruction);
    }
}
