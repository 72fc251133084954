//! Why a new skill is not written.

use super::{WORLD, check};
use crate::env;
use expect_test::expect;

#[test]
fn authoring_says_why_it_refuses() {
    check(
        "guild new x --from draft.md\nguild new x --from draft.md --json\nguild new x --from nowhere.md\nguild new x --description y --from draft.md\nguild new .hidden\nguild new skill --flat\nHOME= guild new x --scope user\nguild -C blocked new x",
        &expect![[r#"
            $ guild new x --from draft.md
            [stderr]
            SKILL.md:1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block
              hint: begin the file with a line `---`, then `name:` and `description:`, then a line `---`
            error[draft_rejected]: the content cannot be used: 1 problem; nothing was written
            [exit 1]
            $ guild new x --from draft.md --json
            {"status":"error","code":"draft_rejected","message":"the content cannot be used: 1 problem; nothing was written","data":{"name":"x","path":null,"scope":"project","problems":[{"code":"missing_frontmatter","severity":"error","file":"SKILL.md","line":1,"column":1,"message":"the file does not begin with a frontmatter block","hint":"begin the file with a line `---`, then `name:` and `description:`, then a line `---`"}]}}
            [exit 1]
            $ guild new x --from nowhere.md
            [stderr]
            error[read_failed]: cannot read `nowhere.md`: No such file or directory (os error 2)
            [exit 1]
            $ guild new x --description y --from draft.md
            [stderr]
            error: the argument '--description <TEXT>' cannot be used with '--from <FILE>'

            Usage: guild new --description <TEXT> <NAME>

            For more information, try '--help'.
            [exit 2]
            $ guild new .hidden
            [stderr]
            error[invalid_name]: invalid skill name ".hidden": letters from a to z, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit
            [exit 2]
            $ guild new skill --flat
            [stderr]
            error[invalid_name]: a flat skill cannot be named `skill`, for `SKILL.md` belongs to a directory's own skill
            [exit 2]
            $ HOME= guild new x --scope user
            [stderr]
            error[write_failed]: there is no home directory; set HOME to an absolute path
            [exit 1]
            $ guild -C blocked new x
            [stderr]
            error[write_failed]: cannot write [ROOT]/project/blocked/.guild/skills: Not a directory (os error 20)
            [exit 1]
        "#]],
    );
}

#[test]
fn authoring_takes_standard_input() {
    let env = env(WORLD);
    let text = "---\nname: piped\ndescription: Came through a pipe\n---\n\n# Piped\n\nDo what the pipe said, and nothing else.\n";
    let output = env.invocation(&["new", "piped", "--from", "-"]).stdin(text).output();
    assert_eq!(output.stdout(), "[ROOT]/project/.guild/skills/piped/SKILL.md\n");
    assert_eq!(std::fs::read_to_string(env.join("project/.guild/skills/piped/SKILL.md")).unwrap(), text);
    let refused = env.invocation(&["new", "huge", "--from", "-"]).stdin(vec![b'x'; 1 << 20]).output();
    assert!(refused.stderr().contains("file_too_large"), "{refused}");
    assert!(!env.join("project/.guild/skills/huge").exists());
}
