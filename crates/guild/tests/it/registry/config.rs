//! What is set for plugins: held to what they declare, and secrets shown to nobody but their own code.

use super::{shown, world};
use crate::envelope;
use expect_test::expect;

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
    expect![[r#"
        $ guild plugins config set house region eu
        [stderr]
        `region` is set for plugin `house`
        $ guild plugins config set house limit 7
        [stderr]
        `limit` is set for plugin `house`
        $ guild plugins config set house limit many
        [stderr]
        error[setting_invalid]: the setting `limit` takes a number
        [exit 2]
        $ guild plugins config set house regoin eu
        [stderr]
        error[setting_invalid]: plugin `house` has no setting `regoin`; it has `region`
        [exit 2]
        $ guild plugins config set house region us --agent ci
        [stderr]
        error[person_required]: agent `ci` cannot decide this; it takes a person
        [exit 3]
        $ guild plugins config get house
        KEY     VALUE
        limit   7
        region  eu
        token   (secret)
        $ guild plugins config get house region
        eu
        $ guild plugins config get house token
        (secret)
        $ guild plugins config get house nothing
        [stderr]
        error[config_not_set]: `nothing` is not set for plugin `house`
        [exit 1]
        $ guild plugins config get hause
        [stderr]
        error[plugin_not_found]: plugin `hause` not found; did you mean `house`?
        [exit 1]
        $ guild plugins config unset house limit
        [stderr]
        `limit` is not set for plugin `house` any more
        $ guild plugins config unset house limit
        [stderr]
        error[config_not_set]: `limit` is not set
        [exit 1]
        $ guild plugins config get base
        KEY  VALUE
        key  (secret)
        $ guild plugins config set base key x --secret
        [stderr]
        error: the argument '[VALUE]' cannot be used with '--secret'

        Usage: guild plugins config set <NAME> <KEY> <VALUE>

        For more information, try '--help'.
        [exit 2]
        $ guild receipts list --code configured
        ID                              AT                        KIND      CODE        AGENT    SKILL
        [RCP 1]  [TIME]  decision  configured  default  house
        [RCP 2]  [TIME]  decision  configured  default  house
        [RCP 3]  [TIME]  decision  configured  default  house
        [RCP 4]  [TIME]  decision  configured  default  base
        [RCP 5]  [TIME]  decision  configured  default  house
        [stderr]
        5 receipts
        $ guild receipts verify
        [stderr]
        8 receipts verified
    "#]]
    .assert_eq(&session);
    let enabled = env.guild(&["--json", "enable", "house", "--approve", "once"]);
    let json = envelope(&enabled.stdout());
    assert!(!enabled.stdout().contains("hunter2"), "{enabled}");
    expect![[r#"{"config":{"region":"eu"},"token_length":16}"#]]
        .assert_eq(&json["data"]["hook"]["output"].to_string());
}
