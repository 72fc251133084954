//! The lock file grows only on purpose: `xtask/lock-size.txt` holds the agreed number of packages.
//!
//! It counts and does not weigh; licences, duplicates and sources are the business of `cargo xtask audit`.

use toml::Table;

use super::Finding;
use super::tree::Tree;

const LOCK: &str = "Cargo.lock";
const AGREED: &str = "xtask/lock-size.txt";
const CAP: usize = 600;

/// Finds a lock file that is larger than agreed, or than anybody may agree to.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(count) = tree.text(LOCK).and_then(count_packages) else {
        return vec![Finding::in_file(
            LOCK,
            "is absent or cannot be parsed",
            "run `cargo metadata` and commit the file",
        )];
    };
    let mut findings = Vec::new();
    if count > CAP {
        let problem = format!("locks {count} packages, and {CAP} are the cap");
        findings.push(Finding::in_file(LOCK, problem, "drop a dependency, or features that you do not use"));
    }
    match tree.text(AGREED).and_then(|text| text.trim().parse::<usize>().ok()) {
        None => {
            let fix = format!("write the agreed number of packages into it: {count}");
            findings.push(Finding::in_file(AGREED, "holds no number", fix));
        }
        Some(agreed) if count > agreed => {
            let problem = format!("locks {count} packages, and {agreed} are agreed");
            let fix = format!(
                "look at what came in (`git diff {LOCK}`); if it is worth it, write {count} into {AGREED} and say why in the commit"
            );
            findings.push(Finding::in_file(LOCK, problem, fix));
        }
        Some(_) => {}
    }
    findings
}

fn count_packages(lock: &str) -> Option<usize> {
    let lock: Table = lock.parse().ok()?;
    Some(lock.get("package")?.as_array()?.len())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::check_on;

    #[track_caller]
    fn check_count(packages: usize, agreed: &str, expect: &Expect) {
        let lock = "[[package]]\nname = 'a'\n".repeat(packages);
        check_on(check, &format!("//- /Cargo.lock\n{lock}//- /xtask/lock-size.txt\n{agreed}\n"), expect);
    }

    #[test]
    fn growth_beyond_the_agreed_number_is_found() {
        check_count(
            3,
            "2",
            &expect![[r#"
                Cargo.lock: locks 3 packages, and 2 are agreed
                    fix: look at what came in (`git diff Cargo.lock`); if it is worth it, write 3 into xtask/lock-size.txt and say why in the commit"#]],
        );
        check_count(3, "3", &expect![""]);
    }

    #[test]
    fn nobody_can_agree_to_more_than_the_cap() {
        check_count(
            601,
            "601",
            &expect![[r#"
                Cargo.lock: locks 601 packages, and 600 are the cap
                    fix: drop a dependency, or features that you do not use"#]],
        );
    }

    #[test]
    fn a_missing_number_or_lock_is_found() {
        check_count(
            3,
            "three",
            &expect![[r#"
                xtask/lock-size.txt: holds no number
                    fix: write the agreed number of packages into it: 3"#]],
        );
        check_on(
            check,
            "",
            &expect![[r#"
                Cargo.lock: is absent or cannot be parsed
                    fix: run `cargo metadata` and commit the file"#]],
        );
    }
}
