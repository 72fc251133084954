//! Placeholders in a body and what they become, in one pass from left to right.
//!
//! What was put in is never read again. Code fences get no special treatment: hosts fill placeholders there too.
//! A placeholder that is not known, or whose value is not, stays as it is written.

use super::token::{Meaning, Names, Token};
use super::{Arguments, Input};

/// No text grows beyond this: a short body can ask for a long argument many thousand times.
const LIMIT: usize = 4 << 20;

/// A body with its placeholders filled in.
#[derive(Debug, Default)]
pub(super) struct Substituted {
    /// The text.
    pub(super) text: String,
    /// Whether any argument found its way into the text.
    pub(super) took_arguments: bool,
    /// Whether the limit was reached, so that placeholders were left.
    pub(super) full: bool,
}

/// Fills in the placeholders of the body.
pub(super) fn substitute(input: &Input<'_>, arguments: &Arguments) -> Substituted {
    let names = Names::new(input.argument_names);
    let mut writer = Writer { input, arguments, names, done: Substituted::default() };
    writer.done.text.reserve(input.body.len());
    let mut rest = input.body;
    while let Some((plain, marked)) =
        rest.find(['$', '\\', '{']).and_then(|offset| rest.split_at_checked(offset))
    {
        writer.done.text.push_str(plain);
        let taken = writer.write_marked(marked);
        rest = marked.get(taken..).unwrap_or_default();
    }
    writer.done.text.push_str(rest);
    writer.done
}

struct Writer<'a> {
    input: &'a Input<'a>,
    arguments: &'a Arguments,
    names: Names<'a>,
    done: Substituted,
}

/// Each `write` method writes what the start of `marked` stands for, and returns how long that start is.
impl<'a> Writer<'a> {
    fn write_marked(&mut self, marked: &str) -> usize {
        if marked.starts_with('\\') {
            self.write_backslashes(marked)
        } else if marked.starts_with('{') {
            self.write_braces(marked)
        } else if let Some(inside) = marked.strip_prefix("${") {
            self.write_variable(inside)
        } else if let Some(token) = self.names.token(marked) {
            self.write_token(token)
        } else {
            self.write("$", 1)
        }
    }

    /// One backslash before a placeholder for arguments escapes it; two or more are only backslashes.
    fn write_backslashes(&mut self, marked: &str) -> usize {
        let after = marked.trim_start_matches('\\');
        let count = marked.len() - after.len();
        match self.names.token(after) {
            Some(token) if count == 1 => self.write(token.text, count + token.text.len()),
            _ => self.write(marked.get(..count).unwrap_or_default(), count),
        }
    }

    /// `{baseDir}` is the skill's directory; doubled braces belong to some template of the author's.
    fn write_braces(&mut self, marked: &str) -> usize {
        const BASE: &str = "{baseDir}";
        if marked.starts_with(BASE) {
            return self.fill(BASE, self.input.directory);
        }
        let count = marked.len() - marked.trim_start_matches('{').len();
        self.write(marked.get(..count).unwrap_or_default(), count)
    }

    /// Only the opening of an unknown variable is written, so that its inside is read like any other text.
    fn write_variable(&mut self, inside: &str) -> usize {
        let name = inside.split(|c: char| !c.is_ascii_uppercase() && c != '_').next().unwrap_or_default();
        let closed = inside.get(name.len()..).is_some_and(|after| after.starts_with('}'));
        match self.variable(name) {
            Some(value) if closed => self.fill(&format!("${{{name}}}"), value),
            _ => self.write("${", 2),
        }
    }

    /// The value of `${name}`, if it is one that hosts define and it is known here.
    fn variable(&self, name: &str) -> Option<&'a str> {
        let value = match name {
            "CLAUDE_SKILL_DIR" | "HERMES_SKILL_DIR" => self.input.directory,
            "CLAUDE_PROJECT_DIR" => self.input.project,
            "CLAUDE_PLUGIN_ROOT" | "PLUGIN_ROOT" => self.input.plugin_root?,
            "CLAUDE_PLUGIN_DATA" | "COPILOT_PLUGIN_DATA" | "PLUGIN_DATA" => self.input.plugin_data?,
            "CLAUDE_SESSION_ID" | "HERMES_SESSION_ID" => self.input.session,
            _ => return None,
        };
        (!value.is_empty()).then_some(value)
    }

    fn write_token(&mut self, token: Token<'_>) -> usize {
        let arguments = self.arguments;
        let word = |position: usize| arguments.words().get(position).map(String::as_str);
        let value = match token.meaning {
            Meaning::All => Some(arguments.raw()),
            Meaning::Position(position) => word(position),
            Meaning::Named(position) => word(position).or(Some("")),
            Meaning::Amount => None,
        };
        let Some(value) = value else { return self.write(token.text, token.text.len()) };
        let taken = self.fill(token.text, value);
        self.done.took_arguments |= !value.is_empty() && !self.done.full;
        taken
    }

    /// Writes `value` in place of the placeholder `written`, unless the text is full.
    fn fill(&mut self, written: &str, value: &str) -> usize {
        self.done.full |= self.done.text.len() + value.len() > LIMIT;
        self.write(if self.done.full { written } else { value }, written.len())
    }

    fn write(&mut self, text: &str, taken: usize) -> usize {
        self.done.text.push_str(text);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn input<'a>(body: &'a str, argument_names: &'a [String]) -> Input<'a> {
        Input {
            name: "x",
            description: "",
            source: "",
            body,
            body_line: 1,
            directory: "/skills/x",
            project: "/project",
            plugin_root: Some("/plugins/p"),
            plugin_data: Some("/data/p"),
            session: "s-1",
            argument_names,
        }
    }

    /// Renders `body` with the argument names `topic`, `issue` and `issue-number`.
    #[track_caller]
    fn check(body: &str, arguments: &str, expect: Expect) {
        let names = ["topic", "issue", "issue-number", "größe"].map(str::to_owned);
        let done = substitute(&input(body, &names), &Arguments::from_text(arguments));
        let unused = if done.took_arguments { "" } else { " (arguments not taken)" };
        expect.assert_eq(&format!("{}{unused}", done.text));
    }

    #[test]
    fn the_whole_text_is_put_in_as_it_was_given() {
        check("Fix $ARGUMENTS.", r#"the "big bug"  now"#, expect![[r#"Fix the "big bug"  now."#]]);
        check("Fix $ARGUMENTS.", "", expect!["Fix . (arguments not taken)"]);
    }

    #[test]
    fn positions_count_from_nought_and_respect_quotes() {
        check("$0|$1|$ARGUMENTS[1]|$ARGUMENTS[0]", "'a b' c", expect!["a b|c|c|a b"]);
    }

    #[test]
    fn a_position_that_was_not_given_stays() {
        check(
            "$1 $ARGUMENTS[7] $99999999999999999999999",
            "a",
            expect!["$1 $ARGUMENTS[7] $99999999999999999999999 (arguments not taken)"],
        );
    }

    #[test]
    fn a_name_takes_its_position_and_is_empty_without() {
        check("<$topic> <$issue> <$issue-number> <$größe>", "a b", expect!["<a> <b> <> <>"]);
        check("<$größe>", "a", expect!["<> (arguments not taken)"]);
    }

    #[test]
    fn the_longest_name_wins_and_only_whole_words_count() {
        check(
            "$issue-number $issue-x $issues $topic_ $topic[0] $Topic",
            "a b c",
            expect!["c b-x $issues $topic_ $topic[0] $Topic"],
        );
    }

    #[test]
    fn words_that_only_begin_like_a_placeholder_stay() {
        check(
            "$ARGUMENTS_DIR $1st $HOME $ $$ $-",
            "a b",
            expect!["$ARGUMENTS_DIR $1st $HOME $ $$ $- (arguments not taken)"],
        );
        check("$ARGUMENTS[x] $ARGUMENTS[] $$1", "a b", expect!["a b[x] a b[] $b"]);
    }

    #[test]
    fn amounts_of_money_are_no_positions() {
        check(
            "Costs $0.15, $1,000 or $0. See $1, too.",
            "a b",
            expect!["Costs $0.15, $1,000 or a. See b, too."],
        );
    }

    #[test]
    fn one_backslash_escapes_and_two_do_not() {
        check(
            r"\$0 \$ARGUMENTS \$ARGUMENTS[0] \$topic \$1.00 \$9",
            "a",
            expect!["$0 $ARGUMENTS $ARGUMENTS[0] $topic $1.00 $9 (arguments not taken)"],
        );
        check(r"\\$0 \\\$0 \$HOME \n \", "a", expect![[r"\\a \\\a \$HOME \n \"]]);
    }

    #[test]
    fn directories_of_every_vendor_are_filled_in() {
        check(
            "${CLAUDE_SKILL_DIR} ${HERMES_SKILL_DIR} {baseDir}/a ${CLAUDE_PROJECT_DIR} ${CLAUDE_PLUGIN_ROOT} ${PLUGIN_ROOT} \
             ${CLAUDE_PLUGIN_DATA} ${COPILOT_PLUGIN_DATA} ${PLUGIN_DATA} ${CLAUDE_SESSION_ID} ${HERMES_SESSION_ID}",
            "",
            expect![
                "/skills/x /skills/x /skills/x/a /project /plugins/p /plugins/p /data/p /data/p /data/p s-1 s-1 (arguments not taken)"
            ],
        );
    }

    #[test]
    fn directories_cannot_be_escaped() {
        check(
            r"\${CLAUDE_SKILL_DIR} \{baseDir}",
            "",
            expect![[r"\/skills/x \/skills/x (arguments not taken)"]],
        );
    }

    #[test]
    fn other_variables_and_templates_stay() {
        check(
            "${CLAUDE_EFFORT} ${user_config.KEY} ${baseDir} {{baseDir}} {basedir} ${CLAUDE_SKILL_DIR ${} ${ $0} ${$0}",
            "a",
            expect![
                "${CLAUDE_EFFORT} ${user_config.KEY} ${baseDir} {{baseDir}} {basedir} ${CLAUDE_SKILL_DIR ${} ${ a} ${a}"
            ],
        );
    }

    #[test]
    fn a_value_that_is_not_known_leaves_its_placeholder() {
        let body = "${PLUGIN_ROOT} ${CLAUDE_PLUGIN_DATA} ${CLAUDE_PROJECT_DIR} ${CLAUDE_SESSION_ID}";
        let bare =
            Input { project: "", plugin_root: None, plugin_data: None, session: "", ..input(body, &[]) };
        assert_eq!(substitute(&bare, &Arguments::default()).text, body);
    }

    #[test]
    fn what_was_put_in_is_not_read_again() {
        check(
            "$0 $1 $2 $ARGUMENTS",
            r"'$1' '${CLAUDE_SKILL_DIR}{baseDir}' '\$0'",
            expect![[r"$1 ${CLAUDE_SKILL_DIR}{baseDir} \$0 '$1' '${CLAUDE_SKILL_DIR}{baseDir}' '\$0'"]],
        );
    }

    #[test]
    fn code_fences_are_filled_too() {
        check("```sh\ncat $0\n```", "a.txt", expect![["```sh\ncat a.txt\n```"]]);
    }

    #[test]
    fn the_text_stops_growing_at_its_limit() {
        let body = "$ARGUMENTS ".repeat(64);
        let done = substitute(&input(&body, &[]), &Arguments::from_text(&"a".repeat(LIMIT / 32)));
        assert!(done.full && done.took_arguments);
        assert!(done.text.len() < LIMIT + body.len());
        assert!(done.text.ends_with("$ARGUMENTS "));
    }
}
