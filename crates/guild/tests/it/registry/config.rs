//! What is set for plugins: held to what they declare, and secrets shown to nobody but their own code.

use super::{shown, world};
use crate::envelope;
use expect_test::{expect, expect_file};

#[test]
fn what_is_set_for_a_plugin_is_kept_and_secrets_are_not_shown() {
    let env = world();
    let set = env.invocation(&["plugins", "config", "set", "house", "token"]);
    let set = set.stdin("hunter2-and-more\n").output();
    assert_eq!(set.code(), Some(0), "{set}");
    let set =
        env.invocation(&["plugins", "config", "set", "base", "key", "--secret"]).stdin("s3cr3t").output();
    assert_eq!(set.code(), Some(0), "{set}");
    let session = shown(
        &env,
        "
        guild plugins config set house region eu
        guild plugins config set house limit 7
        guild plugins config set house limit many
        guild plugins config set house regoin eu
        guild plugins config set house region us --agent ci
        guild plugins config get house
        guild plugins config get house region
        guild plugins config get house token
        guild plugins config get house nothing
        guild plugins config get hause
        guild plugins config unset house limit
        guild plugins config unset house limit
        guild plugins config get base
        guild plugins config set base key x --secret
        guild receipts list --code configured
        guild receipts verify
        ",
    );
    assert!(!session.contains("hunter2") && !session.contains("s3cr3t"), "{session}");
    expect_file!["sessions/what_is_set_for_a_plugin_is_kept_and_secrets_are_not_shown.txt"]
        .assert_eq(&session);
    let enabled = env.guild(&["--json", "enable", "house", "--approve", "once"]);
    let json = envelope(&enabled.stdout());
    assert!(!enabled.stdout().contains("hunter2"), "{enabled}");
    expect![[r#"{"config":{"region":"eu"},"token_length":16}"#]]
        .assert_eq(&json["data"]["hook"]["output"].to_string());
}
