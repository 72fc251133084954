//! What a person allows, denies and takes back.

use expect_test::expect;

use crate::on_both_databases;
use crate::script::check;
use crate::site::Site;

on_both_databases! {
    a_grant_for_one_run_is_good_for_one
    a_grant_for_one_run_is_good_for_its_plan_alone
    a_grant_for_always_holds_until_it_is_revoked
    a_grant_is_for_one_agent_skill_state_and_workspace
    another_state_tells_which_one_was_approved
    a_grant_ends_when_its_time_is_over
    a_denial_stands_in_every_workspace_until_it_is_lifted
    a_denial_ends_the_grants_before_it
    a_grant_for_always_replaces_the_one_before
    a_grant_for_one_run_is_spared_where_another_allows_it
    agents_decide_nothing
    what_has_ended_does_not_end_again
}

async fn a_grant_for_one_run_is_good_for_one(site: Site) {
    check(
        &site,
        "
        standing
        give once g1
        standing
        start r1
        standing
        start r2
        grants
        reopen
        start r2
        ",
        expect![[r#"
            standing → undecided
            give once g1 → run_once
            standing → allowed by g1
            start r1 → started by g1
            standing → undecided, 1 was approved
            start r2 → refused: undecided, 1 was approved
            grants → none
            reopen → reopened
            start r2 → refused: undecided, 1 was approved
        "#]],
    )
    .await;
}

async fn a_grant_for_one_run_is_good_for_its_plan_alone(site: Site) {
    check(
        &site,
        "
        give once g1 plan=p
        start r1 plan=q
        standing plan=q
        start r1 plan=p
        ",
        expect![[r#"
            give once g1 plan=p → run_once
            start r1 plan=q → refused: undecided, 1 was approved
            standing plan=q → undecided, 1 was approved
            start r1 plan=p → started by g1
        "#]],
    )
    .await;
}

async fn a_grant_for_always_holds_until_it_is_revoked(site: Site) {
    check(
        &site,
        "
        give always g1
        start r1 plan=p
        start r2 plan=q
        revoke g1
        standing
        start r3
        grants
        ",
        expect![[r#"
            give always g1 → always_allow
            start r1 plan=p → started by g1
            start r2 plan=q → started by g1
            revoke g1 → revoked
            standing → undecided, 1 was approved
            start r3 → refused: undecided, 1 was approved
            grants → none
        "#]],
    )
    .await;
}

async fn a_grant_is_for_one_agent_skill_state_and_workspace(site: Site) {
    check(
        &site,
        "
        give always g1
        standing agent=b
        standing skill=t
        standing hash=2
        standing in=/elsewhere
        standing
        ",
        expect![[r#"
            give always g1 → always_allow
            standing agent=b → undecided
            standing skill=t → undecided
            standing hash=2 → undecided, 1 was approved
            standing in=/elsewhere → undecided, 1 was approved
            standing → allowed by g1
        "#]],
    )
    .await;
}

async fn another_state_tells_which_one_was_approved(site: Site) {
    check(
        &site,
        "
        standing hash=3
        give always g1 hash=1
        give once g2 hash=2
        start r1 hash=2
        standing hash=3
        give deny g3 hash=4
        standing hash=3
        ",
        expect![[r#"
            standing hash=3 → undecided
            give always g1 hash=1 → always_allow
            give once g2 hash=2 → run_once
            start r1 hash=2 → started by g2
            standing hash=3 → undecided, 2 was approved
            give deny g3 hash=4 → deny
            standing hash=3 → undecided, 2 was approved
        "#]],
    )
    .await;
}

async fn a_grant_ends_when_its_time_is_over(site: Site) {
    check(
        &site,
        "
        give always g1 for=30
        give once g2 for=10 in=/x
        give deny g3 for=20 hash=2
        wait 9
        standing in=/x
        wait 1
        standing in=/x
        standing hash=2
        wait 10
        standing hash=2
        standing
        grants
        wait 10
        standing
        start r1
        grants
        ",
        expect![[r#"
            give always g1 for=30 → always_allow
            give once g2 for=10 in=/x → run_once
            give deny g3 for=20 hash=2 → deny
            wait 9 → 2026-11-15T09:09:00.000Z
            standing in=/x → allowed by g2
            wait 1 → 2026-11-15T09:10:00.000Z
            standing in=/x → undecided, 1 was approved
            standing hash=2 → denied by g3
            wait 10 → 2026-11-15T09:20:00.000Z
            standing hash=2 → undecided, 1 was approved
            standing → allowed by g1
            grants → g1 always_allow
            wait 10 → 2026-11-15T09:30:00.000Z
            standing → undecided, 1 was approved
            start r1 → refused: undecided, 1 was approved
            grants → none
        "#]],
    )
    .await;
}

async fn a_denial_stands_in_every_workspace_until_it_is_lifted(site: Site) {
    check(
        &site,
        "
        give deny g1
        standing
        standing in=/elsewhere
        standing hash=2
        start r1
        give always g2
        give once g2
        revoke g1
        lift g1
        standing
        give always g2
        standing
        ",
        expect![[r#"
            give deny g1 → deny
            standing → denied by g1
            standing in=/elsewhere → denied by g1
            standing hash=2 → undecided
            start r1 → refused: denied by g1
            give always g2 → it is denied by g1; lift that first
            give once g2 → it is denied by g1; lift that first
            revoke g1 → there is no such thing here: [id]
            lift g1 → lifted
            standing → undecided
            give always g2 → always_allow
            standing → allowed by g2
        "#]],
    )
    .await;
}

async fn a_denial_ends_the_grants_before_it(site: Site) {
    check(
        &site,
        "
        give always g1
        give always g2 in=/elsewhere
        give once g3
        give always g4 hash=2
        give deny g5
        grants
        lift g5
        standing
        standing in=/elsewhere
        standing hash=2
        ",
        expect![[r#"
            give always g1 → always_allow
            give always g2 in=/elsewhere → always_allow
            give once g3 → run_once
            give always g4 hash=2 → always_allow
            give deny g5 → deny
            grants → g4 always_allow, g5 deny
            lift g5 → lifted
            standing → undecided, 2 was approved
            standing in=/elsewhere → undecided, 2 was approved
            standing hash=2 → allowed by g4
        "#]],
    )
    .await;
}

async fn a_grant_for_always_replaces_the_one_before(site: Site) {
    check(
        &site,
        "
        give always g1
        give always g2 in=/elsewhere
        give always g3 for=5
        grants
        wait 5
        standing
        standing in=/elsewhere
        ",
        expect![[r#"
            give always g1 → always_allow
            give always g2 in=/elsewhere → always_allow
            give always g3 for=5 → always_allow
            grants → g2 always_allow, g3 always_allow
            wait 5 → 2026-11-15T09:05:00.000Z
            standing → undecided, 1 was approved
            standing in=/elsewhere → allowed by g2
        "#]],
    )
    .await;
}

async fn a_grant_for_one_run_is_spared_where_another_allows_it(site: Site) {
    check(
        &site,
        "
        give once g1
        give always g2
        start r1
        revoke g2
        start r2
        start r3
        ",
        expect![[r#"
            give once g1 → run_once
            give always g2 → always_allow
            start r1 → started by g2
            revoke g2 → revoked
            start r2 → started by g1
            start r3 → refused: undecided, 1 was approved
        "#]],
    )
    .await;
}

async fn agents_decide_nothing(site: Site) {
    check(
        &site,
        "
        give always g1 by=agent
        give deny g1 by=agent
        give always g1
        revoke g1 by=agent
        standing
        give deny g2 hash=2
        lift g2 by=agent
        standing hash=2
        ",
        expect![[r#"
            give always g1 by=agent → an agent cannot decide this; it takes a person
            give deny g1 by=agent → an agent cannot decide this; it takes a person
            give always g1 → always_allow
            revoke g1 by=agent → an agent cannot decide this; it takes a person
            standing → allowed by g1
            give deny g2 hash=2 → deny
            lift g2 by=agent → an agent cannot decide this; it takes a person
            standing hash=2 → denied by g2
        "#]],
    )
    .await;
}

async fn what_has_ended_does_not_end_again(site: Site) {
    check(
        &site,
        "
        give once g1
        start r1
        revoke g1
        give deny g2
        lift g2
        lift g2
        revoke g2
        lift g1
        ",
        expect![[r#"
            give once g1 → run_once
            start r1 → started by g1
            revoke g1 → [id] has ended before
            give deny g2 → deny
            lift g2 → lifted
            lift g2 → [id] has ended before
            revoke g2 → there is no such thing here: [id]
            lift g1 → there is no such thing here: [id]
        "#]],
    )
    .await;
}
