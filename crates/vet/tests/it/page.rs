//! `docs/rules.md`, made from the table of codes.

use expect_test::expect_file;
use guild_vet::{Code, RULES, Tier};
use std::fmt::Write as _;

const HEAD: &str = "# Rules\n\n\
`guild vet` looks at the files of a skill by fixed rules, without a network and without a model. A `deny` code refuses the skill: only\n\
`[vet] downgrade` in your own configuration turns it into a warning. A `warn` code is for you to judge. The verdict follows from the\n\
set of codes alone. A plugin's skill is judged with its whole plugin, all of which a run mounts. What the rules claim is narrow: they\n\
refuse mechanical threats. They do not detect malice in plain words; what they cannot see is contained by the sandbox, by approval and\n\
by the lock on content.\n\n\
The classes are those of the OWASP Agentic Skills Top 10. Examples of each rule, what it finds and what it leaves alone, stand in\n\
`crates/vet/test_data/rules`, ways around scanners in `crates/vet/test_data/evasion`. This page is generated.\n";

fn table(tier: Tier) -> String {
    let mut out = "| code | classes | what it means | what to do |\n| --- | --- | --- | --- |\n".to_owned();
    for code in Code::ALL.iter().filter(|code| code.tier() == tier) {
        let classes = code.classes().join(", ");
        writeln!(out, "| `{code}` | {classes} | {} | {} |", code.about(), code.advice()).expect("a line");
    }
    out
}

#[test]
fn the_page_of_rules_is_up_to_date() {
    let (deny, warn) = (table(Tier::Deny), table(Tier::Warn));
    let page = format!("{HEAD}\nRule set {RULES}.\n\n## Denied\n\n{deny}\n## Warned of\n\n{warn}");
    expect_file!["../../../../docs/rules.md"].assert_eq(&page);
}

#[test]
fn codes_are_dotted_and_begin_with_their_tier() {
    for code in Code::ALL {
        assert!(code.as_str().starts_with(&format!("{}.", code.tier().as_str())), "{code}");
        assert_eq!(code.as_str().split('.').count(), 3, "{code}");
        assert_eq!(Code::named(code.as_str()), Some(*code));
    }
}
