//! What is listed as a change, and what is not. Each of these is also applied, and the source then is what the script saw.

use expect_test::expect;

use crate::world::check;

const FILES: &str = "
//- /a.txt
alpha
//- /d/b.txt
beta
//- /d/e/c.txt
gamma
//- /empty/
//- /l link:a.txt
//- /run.sh mode:755
#!/bin/sh
";

#[test]
fn nothing_written_is_no_change() {
    check(FILES, "cat a.txt d/b.txt; ls -R", &expect![""]);
}

#[test]
fn files_are_added_changed_and_deleted() {
    check(
        FILES,
        "echo new > new.txt; echo more >> a.txt; rm d/b.txt",
        &expect![[r#"
        ~ a.txt: file 644, 6 bytes b6a9 → file 644, 11 bytes 9de8
        - d/b.txt: file 644, 5 bytes f2c8
        + new.txt: file 644, 4 bytes 7aa7
    "#]],
    );
}

#[test]
fn a_file_touched_or_written_again_as_it_was_is_no_change() {
    check(
        FILES,
        "touch a.txt; echo beta > d/b.txt; rm d/e/c.txt; echo gamma > d/e/c.txt; ln -sf a.txt l",
        &expect![""],
    );
}

#[test]
fn permissions_alone_are_a_change() {
    check(
        FILES,
        "chmod 600 a.txt; chmod 700 d; chmod 644 run.sh",
        &expect![[r#"
        ~ a.txt: file 644, 6 bytes b6a9 → file 600, 6 bytes b6a9
        ~ d: directory 755 → directory 700
        ~ run.sh: file 755, 9 bytes 3af7 → file 644, 9 bytes 3af7
    "#]],
    );
}

#[test]
fn a_renamed_file_is_deleted_and_added() {
    check(
        FILES,
        "mv a.txt z.txt; mv d/b.txt .",
        &expect![[r#"
        - a.txt: file 644, 6 bytes b6a9
        + b.txt: file 644, 5 bytes f2c8
        - d/b.txt: file 644, 5 bytes f2c8
        + z.txt: file 644, 6 bytes b6a9
    "#]],
    );
}

#[test]
fn a_renamed_directory_is_deleted_and_added_with_all_that_is_in_it() {
    check(
        FILES,
        "mv d moved",
        &expect![[r#"
        - d: directory 755
        - d/b.txt: file 644, 5 bytes f2c8
        - d/e: directory 755
        - d/e/c.txt: file 644, 6 bytes ae9a
        + moved: directory 755
        + moved/b.txt: file 644, 5 bytes f2c8
        + moved/e: directory 755
        + moved/e/c.txt: file 644, 6 bytes ae9a
    "#]],
    );
}

#[test]
fn a_deleted_directory_is_deleted_with_all_that_is_in_it() {
    check(
        FILES,
        "rm -r d empty",
        &expect![[r#"
        - d: directory 755
        - d/b.txt: file 644, 5 bytes f2c8
        - d/e: directory 755
        - d/e/c.txt: file 644, 6 bytes ae9a
        - empty: directory 755
    "#]],
    );
}

#[test]
fn a_directory_made_anew_hides_what_was_in_it() {
    check(
        FILES,
        "rm -r d; mkdir d; echo other > d/b.txt; mkdir d/e; echo x > d/e/x",
        &expect![[r#"
        ~ d/b.txt: file 644, 5 bytes f2c8 → file 644, 6 bytes 7e4f
        - d/e/c.txt: file 644, 6 bytes ae9a
        + d/e/x: file 644, 2 bytes 73cb
    "#]],
    );
}

#[test]
fn a_directory_made_anew_as_it_was_is_no_change() {
    check(FILES, "cp -a d kept; rm -r d; mv kept d", &expect![""]);
}

#[test]
fn a_directory_within_one_made_anew_hides_what_was_in_it() {
    check(
        FILES,
        "rm -r d; mkdir -p d/e",
        &expect![[r#"
        - d/b.txt: file 644, 5 bytes f2c8
        - d/e/c.txt: file 644, 6 bytes ae9a
    "#]],
    );
}

#[test]
fn a_file_becomes_a_directory_and_a_directory_a_file() {
    check(
        FILES,
        "rm a.txt; mkdir a.txt; echo x > a.txt/x; rm -r d; echo flat > d",
        &expect![[r#"
        ~ a.txt: file 644, 6 bytes b6a9 → directory 755
        + a.txt/x: file 644, 2 bytes 73cb
        ~ d: directory 755 → file 644, 5 bytes 6bc6
        - d/b.txt: file 644, 5 bytes f2c8
        - d/e: directory 755
        - d/e/c.txt: file 644, 6 bytes ae9a
    "#]],
    );
}

#[test]
fn a_file_becomes_a_link_and_a_link_a_directory() {
    check(
        FILES,
        "ln -sf d/b.txt a.txt; rm l; mkdir l; rm -r d/e; ln -s ../empty d/e",
        &expect![[r#"
        ~ a.txt: file 644, 6 bytes b6a9 → link to "d/b.txt"
        ~ d/e: directory 755 → link to "../empty"
        - d/e/c.txt: file 644, 6 bytes ae9a
        ~ l: link to "a.txt" → directory 755
    "#]],
    );
}

#[test]
fn links_that_stay_inside_are_changes() {
    check(
        FILES,
        "ln -s ../a.txt d/up; ln -s nowhere dangling; ln -sf run.sh l; ln -s . d/e/self",
        &expect![[r#"
            + d/e/self: link to "."
            + d/up: link to "../a.txt"
            + dangling: link to "nowhere"
            ~ l: link to "a.txt" → link to "run.sh"
        "#]],
    );
}

#[test]
fn directories_are_added_before_what_is_in_them() {
    check(
        FILES,
        "mkdir -p x/y/z; echo 1 > x/y/z/1; mkdir x/empty",
        &expect![[r#"
        + x: directory 755
        + x/empty: directory 755
        + x/y: directory 755
        + x/y/z: directory 755
        + x/y/z/1: file 644, 2 bytes 4355
    "#]],
    );
}

#[test]
fn names_are_kept_whatever_their_bytes_are() {
    check(
        FILES,
        r#"printf x > "$(printf 'no\377utf8')"; printf y > "$(printf 'new\nline')"; mkdir -p 'sp ace/ä'; printf z > 'sp ace/ä/"q"'"#,
        &expect![[r#"
            + new\nline: file 644, 1 bytes a1fc
            + no\xffutf8: file 644, 1 bytes 2d71
            + sp ace: directory 755
            + sp ace/\xc3\xa4: directory 755
            + sp ace/\xc3\xa4/\"q\": file 644, 1 bytes 594e
        "#]],
    );
}

#[test]
fn directories_that_nobody_may_write_to_are_filled_changed_and_removed() {
    let files = "
//- /ro/x
x
//- /ro/y
y
//- /gone/deep/z
z
//- /ro/ mode:555
//- /gone/deep/ mode:555
//- /gone/ mode:555
";
    check(
        files,
        "chmod u+w ro; echo 2 >> ro/x; rm ro/y; echo n > ro/n; chmod 555 ro
         chmod -R u+w gone; rm -r gone
         mkdir shut; echo s > shut/s; chmod 500 shut",
        &expect![[r#"
            - gone: directory 555
            - gone/deep: directory 555
            - gone/deep/z: file 644, 2 bytes c865
            + ro/n: file 644, 2 bytes a4fb
            ~ ro/x: file 644, 2 bytes 73cb → file 644, 4 bytes f44a
            - ro/y: file 644, 2 bytes 3bb2
            + shut: directory 500
            + shut/s: file 644, 2 bytes cbc8
        "#]],
    );
}

#[test]
fn a_directory_is_opened_and_filled_and_another_is_closed() {
    let files = "
//- /shut/x
x
//- /open/x
x
//- /shut/ mode:511
";
    check(
        files,
        "chmod 755 shut; echo n > shut/n; echo n > open/n; rm open/x; chmod 511 open",
        &expect![[r#"
        ~ open: directory 755 → directory 511
        + open/n: file 644, 2 bytes a4fb
        - open/x: file 644, 2 bytes 73cb
        ~ shut: directory 511 → directory 755
        + shut/n: file 644, 2 bytes a4fb
    "#]],
    );
}

#[test]
fn hard_links_are_files_of_their_own() {
    check(
        FILES,
        "ln a.txt again; echo more >> again",
        &expect![[r#"
        ~ a.txt: file 644, 6 bytes b6a9 → file 644, 11 bytes 9de8
        + again: file 644, 11 bytes 9de8
    "#]],
    );
}

#[test]
fn paths_that_the_caller_names_are_sensitive() {
    let files = "
//- /.git/config
[core]
//- /guild.toml
//- /src/x.rs
";
    check(
        files,
        "echo evil >> .git/config; mkdir -p sub/.git; echo 1 > sub/.git/HEAD; rm guild.toml; echo > src/x.rs",
        &expect![[r#"
            ~ .git/config: file 644, 7 bytes 74d9 → file 644, 12 bytes 9474 (sensitive)
            - guild.toml: file 644, 0 bytes e3b0 (sensitive)
            ~ src/x.rs: file 644, 0 bytes e3b0 → file 644, 1 bytes 01ba
            + sub: directory 755
            + sub/.git: directory 755 (sensitive)
            + sub/.git/HEAD: file 644, 2 bytes 4355 (sensitive)
        "#]],
    );
}
