//! Runs start once and end once.

use expect_test::expect;

use crate::on_both_databases;
use crate::script::check;
use crate::site::Site;

on_both_databases! {
    a_run_starts_and_finishes_once
    what_never_finished_is_interrupted_when_somebody_says_so
    a_run_that_may_not_start_leaves_nothing
}

async fn a_run_starts_and_finishes_once(site: Site) {
    check(
        &site,
        "
        finish r1
        start r1 freely
        unfinished
        start r1 freely
        finish r1 code=script_failed
        finish r1
        interrupt r1
        start r1 freely
        unfinished
        receipts run=r1
        ",
        expect![[r#"
            finish r1 → [id] has not started
            start r1 freely → started
            unfinished → r1
            start r1 freely → r1 has started before
            finish r1 code=script_failed → finished
            finish r1 → [id] has ended before
            interrupt r1 → [id] has ended before
            start r1 freely → r1 has started before
            unfinished → none
            receipts run=r1 → [2 1]
        "#]],
    )
    .await;
}

async fn what_never_finished_is_interrupted_when_somebody_says_so(site: Site) {
    check(
        &site,
        "
        start r1 freely
        start r2 freely
        start r3 freely
        finish r2
        reopen
        unfinished
        interrupt r1
        finish r1
        unfinished
        ",
        expect![[r#"
            start r1 freely → started
            start r2 freely → started
            start r3 freely → started
            finish r2 → finished
            reopen → reopened
            unfinished → r1, r3
            interrupt r1 → interrupted
            finish r1 → [id] has ended before
            unfinished → r3
        "#]],
    )
    .await;
}

async fn a_run_that_may_not_start_leaves_nothing(site: Site) {
    check(
        &site,
        "
        start r1
        unfinished
        finish r1
        receipts
        ",
        expect![[r#"
            start r1 → refused: undecided
            unfinished → none
            finish r1 → [id] has not started
            receipts → []
        "#]],
    )
    .await;
}
