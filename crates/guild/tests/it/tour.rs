//! A walk through every command, exactly as it looks.

use crate::desk::nameless;
use crate::images::undated;
use crate::world::WORLD;
use crate::{commands, env};
use expect_test::expect_file;
use guild_testkit::image::tar;
use guild_testkit::session;

const WALK: &str = r#"
# Every skill, whichever agent it was written for.
guild list
guild list --all
guild list --source plugin
guild list --agent reviewer
guild list --agent intern
guild list --file docs/CHANGELOG.md -q
XDG_CONFIG_HOME=/nowhere guild list --source builtin

# One of them.
guild show code-review
guild show complexity --no-body
guild show "Release Notes!" --no-body
guild show macos-signing --no-body
guild show deploy
guild show zeta:deploy
guild show code-reveiw
guild show malformed

# What was that called?
guild search deploy
guild search defcts
guild search changelog history -n 1
guild search xyzzy

# What is wrong, and how to fix it.
guild check
guild check .claude/plugins/zeta
guild check .guild --profile strict
guild check .agents/skills/changelog.md
guild explain yaml_invalid
guild explain check_failed
guild explain yaml_invalud
guild doctor

# Is it safe?
guild vet --all
guild vet downloads
guild vet code-review
guild vet --explain deny.lure.password_archive
guild contract complexity
guild contract code-review

# What an approval would be given to.
guild hash code-review
guild hash acme/deploy --explain
guild hash changelog --explain -q
guild diff changelog --from sha256:0000000000000000000000000000000000000000000000000000000000000000
guild diff changelog --from yesterday

# Run, once a person has approved exactly this.
guild run complexity
guild run code-review feature/login

# Where it all comes from.
guild roots
guild plugins
guild plugins show acme
guild plugins show acm
guild plugins disable acme
guild plugins enable acme
guild reload

# What a model is told.
guild prompt
guild prompt --agent reviewer --format index
guild prompt --agent reviewer --format bullets
guild prompt --agent reviewer --format json
guild prompt --agent intern
guild prompt --format sections
guild prompt --agent reveiwer --format bullets --budget 60
guild prompt --format bullets --budget 200
guild prompt --format bullets --budget 10t
guild render code-review feature/login "and its tests"
guild render acme/deploy
guild render complexity
guild render macos-signing
guild render code-review --agent intern

# One more, below the project's root.
cd src
guild new triage --description "Sorts new issues by what they need"
guild new triage
guild new triage --flat
guild new "no blanks"
guild new mine --scope user --flat
guild list --source user
guild check ../.guild/skills/triage
cd ..

# From elsewhere, pinned by content.
guild add ./downloads --list
guild add ./downloads
guild add .claude/plugins/acme/skills/deploy
guild add .claude/plugins/acme/skills/deploy --user --agent intern
guild list --installed
guild verify
guild sync --frozen
guild outdated
guild update
guild pin deploy
guild rollback deploy
guild link windsurf
guild link windsurf --remove
guild export skills-lock.json --format skills-lock
guild import skills-lock.json
guild export bundle.tar.gz --no-receipts
guild remove deploy
guild remove deploy

# A stranger's command, with nothing of the machine but what it is shown.
guild sandbox run --mount .:/workspace -- sh -c 'ls /workspace; touch /workspace/new'
guild sandbox run --memory 64M --timeout 5s -- sh -c 'cat /etc/shadow; exit 7'
guild sandbox run -- no-such-program
guild sandbox list
guild sandbox exec ctr_0123456789abcdef -- true
guild sandbox stop nothing
guild sandbox launch --role nothing
guild changes list
guild changes show chg_0
guild changes apply chg_0
guild changes drop chg_0

# What waits for a person, what they decided, and what has happened.
guild requests
guild approve apr_0
guild approve apr_0 --once
guild deny apr_0 --agent reviewer
guild grants list
guild grants revoke grt_0
guild grants lift grt_0
guild token create --agent reviewer --role admin
guild token list
guild token revoke tok_0
guild vet allow warn.shell.eval --skill code-review --why "seen"
guild vet allowed
guild vet disallow sup_0
guild deps macos-signing
guild servers list
guild servers import cursor
guild tools list
guild tools show builtin:add
guild tools call builtin:add --args '{"text":"20+22"}'
guild secret set DEPLOY_KEY
guild secret list
guild secret remove DEPLOY_KEY
guild plugins config set acme region eu
guild plugins config get acme
guild plugins config unset acme region
guild registry
guild disable code-review --agent reviewer
guild enable code-review --agent reviewer
guild receipts list
guild receipts show rcp_0
guild receipts verify
guild replay rcp_0
guild feedback code-review --good --note "found it"
guild improve code-review --note "shorter"
guild run review --task "the last commit"
guild receipts export receipts.jsonl
guild receipts accept-loss --reason "nothing is"

# A root file system of one's own for containers.
guild image import tools.tar
guild image list
guild image inspect tools
guild image remove tools
guild image pull "no reference"

# Any agent's program, told of all this by one entry in its own file; nobody talks to the server here.
guild connect cursor --scope project --dry-run --agent reviewer
guild connect cursr
guild mcp --agent reviewer
guild serve --listen 0.0.0.0:7878
guild login

# From elsewhere there is only what is the person's own.
cd ~
guild list
guild watch --for 0.01 --interval 0.01
guild gc --dry-run
guild top --once
"#;

#[test]
fn every_command_looks_as_it_did() {
    let env = env(WORLD);
    let tools = tar("bin/\nbin/tool x = tool\n");
    std::fs::write(env.project().join("tools.tar"), tools).unwrap();
    let program = std::fs::canonicalize(env!("CARGO_BIN_EXE_guild")).unwrap();
    let walked = session(&env, WALK).replace(&*program.to_string_lossy(), "[GUILD]");
    expect_file!["tour.txt"].assert_eq(&nameless(&undated(&unlocked(&walked))));
}

#[test]
fn the_tour_leaves_no_command_out() {
    for command in commands().iter().filter(|command| *command != "completions") {
        assert!(WALK.contains(&format!("guild {command}")), "`guild {command}` is not shown");
    }
}

/// The digest of a lock hangs on where its source lies, which is another directory each time.
fn unlocked(text: &str) -> String {
    const LABEL: &str = "parameter   lock = ";
    let masked = |line: &str| match line.split_once(LABEL) {
        Some((before, _)) => format!("{before}{LABEL}[LOCK]\n"),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(masked).collect()
}
