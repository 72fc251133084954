//! Text files end in one newline and have no blanks at the end of a line.
//!
//! Test data is left alone, because there a stray blank or carriage return is the point. Everything else about
//! layout is rustfmt's business.

use super::Finding;
use super::tree::{Tree, is_test_data};

/// Finds blanks at the end of lines, and files without a newline at their end.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.texts()
        .filter(|(path, _)| !is_test_data(path))
        .flat_map(|(path, text)| check_file(path, text))
        .collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let has_blank = |line: &str| line.ends_with([' ', '\t', '\r']);
    let mut findings = Vec::new();
    for (at, _) in text.split('\n').enumerate().filter(|(_, line)| has_blank(line)) {
        let fix = "remove the blank or carriage return; files that need one go into a `test_data` folder";
        findings.push(Finding::at(path, at + 1, "blank at the end of the line", fix));
    }
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        findings.push(Finding::in_file(
            path,
            "does not end in exactly one newline",
            "end the file with one newline",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn stray_blanks_and_wrong_endings_are_found() {
        check_on(
            check,
            "//- /a.md\none \ntwo\t\nthree\r\n//- /b.md\nopen\n\n//- /c/test_data/d.md\nany \r\n//- /e bytes:2000\n//- /f.md\nx",
            &expect![[r#"
                a.md:1: blank at the end of the line
                    fix: remove the blank or carriage return; files that need one go into a `test_data` folder
                a.md:2: blank at the end of the line
                    fix: remove the blank or carriage return; files that need one go into a `test_data` folder
                a.md:3: blank at the end of the line
                    fix: remove the blank or carriage return; files that need one go into a `test_data` folder
                b.md: does not end in exactly one newline
                    fix: end the file with one newline
                f.md: does not end in exactly one newline
                    fix: end the file with one newline"#]],
        );
    }

    #[test]
    fn empty_and_well_ended_files_are_fine() {
        check_on(check, "//- /empty\n//- /good.md\na\n\nb\n", &expect![""]);
    }
}
