//! Who may have which skill, and what is said to whom who may not.

use crate::hall;
use expect_test::{Expect, expect};
use guild_engine::{Principal, RenderRequest, render};
use guild_testkit::Fixture;

const WORLD: &str = "
//- /home/config.toml
[agents.writer]
skills = [\"open\", \"quiet\"]
[agents.nobody]
[skills]
disabled = [\"off\"]
//- /project/.guild/skills/open.md
---
name: open
description: For everybody
---
Open to $0.
//- /project/.guild/skills/other.md
---
name: other
description: For everybody too
---
Other.
//- /project/.guild/skills/off.md
---
name: off
description: Switched off
---
Off.
//- /project/.guild/skills/elsewhere.md
---
name: elsewhere
description: For another system
metadata: {openclaw: {os: [darwin], requires: {bins: [no-such-program]}}}
---
Elsewhere.
//- /project/.guild/skills/quiet.md
---
name: quiet
description: For people alone
disable-model-invocation: true
---
Quiet.
//- /project/.guild/skills/background.md
---
name: background
description: For models alone
user-invocable: false
---
Background.
";

#[track_caller]
fn check(caller: &Principal, expect: &Expect) {
    let fixture = Fixture::write(WORLD);
    let hall = hall(&fixture);
    let arguments = ["you".to_owned()];
    let mut text = String::new();
    for name in ["open", "other", "off", "elsewhere", "quiet", "background"] {
        let envelope = render(&hall, &RenderRequest { name, arguments: &arguments, caller });
        let last = envelope.data.text.lines().nth(4).unwrap_or_default();
        text.push_str(&format!("{name}: {} {}{last}\n", envelope.code.as_str(), envelope.message));
    }
    expect.assert_eq(&text);
}

#[test]
fn a_person_has_everything_but_what_is_off_elsewhere_or_not_for_people() {
    check(
        &Principal::person("terminal"),
        &expect![[r#"
        open: ok Open to you.
        other: ok Other.
        off: skill_not_invocable skill `off` is switched off in the configuration
        elsewhere: skill_not_invocable skill `elsewhere` cannot be used here: it is for darwin, and this is linux; the program `no-such-program` is not found
        quiet: ok Quiet.
        background: skill_not_invocable skill `background` is not for people to call; `guild show background` shows it
    "#]],
    );
}

#[test]
fn an_agent_has_what_its_list_names_and_models_may_have() {
    check(
        &Principal::agent("writer", "mcp"),
        &expect![[r#"
        open: ok Open to you.
        other: skill_not_invocable skill `other` is not among those of agent `writer`; `guild list --agent writer` shows them
        off: skill_not_invocable skill `off` is switched off in the configuration
        elsewhere: skill_not_invocable skill `elsewhere` cannot be used here: it is for darwin, and this is linux; the program `no-such-program` is not found
        quiet: skill_not_invocable skill `quiet` is for people alone, not for agents
        background: skill_not_invocable skill `background` is not among those of agent `writer`; `guild list --agent writer` shows them
    "#]],
    );
}

#[test]
fn an_agent_without_a_list_has_nothing() {
    check(
        &Principal::agent("nobody", "mcp"),
        &expect![[r#"
        open: skill_not_invocable skill `open` is not among those of agent `nobody`; `guild list --agent nobody` shows them
        other: skill_not_invocable skill `other` is not among those of agent `nobody`; `guild list --agent nobody` shows them
        off: skill_not_invocable skill `off` is switched off in the configuration
        elsewhere: skill_not_invocable skill `elsewhere` cannot be used here: it is for darwin, and this is linux; the program `no-such-program` is not found
        quiet: skill_not_invocable skill `quiet` is for people alone, not for agents
        background: skill_not_invocable skill `background` is not among those of agent `nobody`; `guild list --agent nobody` shows them
    "#]],
    );
}

#[test]
fn an_agent_that_nobody_configured_has_what_models_may_have() {
    check(
        &Principal::agent("stranger", "mcp"),
        &expect![[r#"
        open: ok Open to you.
        other: ok Other.
        off: skill_not_invocable skill `off` is switched off in the configuration
        elsewhere: skill_not_invocable skill `elsewhere` cannot be used here: it is for darwin, and this is linux; the program `no-such-program` is not found
        quiet: skill_not_invocable skill `quiet` is for people alone, not for agents
        background: ok Background.
    "#]],
    );
}
