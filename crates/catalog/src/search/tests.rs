//! Tests of the ranking: what stands before what, and why.

use super::*;
use expect_test::{Expect, expect};
use guild_testkit::Dice;

/// One document a line: `qualified name | description | when to use | body`.
fn documents(fixture: &str) -> Vec<Document<'_>> {
    let lines = fixture.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut fields = line.split('|').map(str::trim);
            let mut next = || fields.next().unwrap_or_default();
            let qualified_name = next();
            Document {
                name: qualified_name.rsplit('/').next().unwrap_or_default(),
                qualified_name,
                description: next(),
                when_to_use: next(),
                body: next(),
            }
        })
        .collect()
}

fn names<'a>(documents: &[Document<'a>], query: &str) -> Vec<&'a str> {
    let hits = rank(documents, query, usize::MAX);
    assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    hits.iter().map(|hit| documents[hit.index].qualified_name).collect()
}

/// Shows each hit with the whole part of its score.
#[track_caller]
fn check(fixture: &str, query: &str, expect: Expect) {
    let documents = documents(fixture);
    let hits = rank(&documents, query, usize::MAX);
    let shown = names(&documents, query);
    let lines: Vec<_> =
        hits.iter().zip(shown).map(|(hit, name)| format!("{} {name}", hit.score.floor())).collect();
    expect.assert_eq(&lines.join("\n"));
}

const HOUSE: &str = "
    pdf | Reads and writes documents
    pdf-forms | Fills in forms
    forms-in-pdf | Draws fields
    office | Works with PDF forms and sheets
    archive | Packs files | When a pdf is too large
    scanner | Makes scans readable | | Writes a pdf, then another pdf.
    tools/pdf-merge | Joins documents
    cook | Recipes for the evening
";

#[test]
fn the_floor_is_name_then_description_then_the_rest() {
    check(
        HOUSE,
        "pdf",
        expect![[r#"
            4 pdf
            3 pdf-forms
            3 tools/pdf-merge
            3 forms-in-pdf
            1 office
            0 archive
            0 scanner"#]],
    );
}

#[test]
fn a_phrase_is_found_through_hyphens_and_its_words_in_any_order() {
    check(
        HOUSE,
        "PDF  forms",
        expect![[r#"
        4 pdf-forms
        2 forms-in-pdf
        1 office
        0 pdf
        0 tools/pdf-merge
        0 archive
        0 scanner"#]],
    );
}

#[test]
fn words_decide_where_nothing_holds_the_phrase() {
    check(
        HOUSE,
        "merge large pdf documents",
        expect![[r#"
        0 tools/pdf-merge
        0 pdf
        0 archive
        0 pdf-forms
        0 forms-in-pdf
        0 office
        0 scanner"#]],
    );
}

#[test]
fn a_qualified_name_is_a_name() {
    check(
        HOUSE,
        "tools/pdf-merge",
        expect![[r#"
        4 tools/pdf-merge
        0 pdf
        0 pdf-forms
        0 forms-in-pdf
        0 office
        0 archive
        0 scanner"#]],
    );
    check(HOUSE, "tools", expect!["0 tools/pdf-merge"]);
}

#[test]
fn a_blank_query_or_a_limit_of_nothing_finds_nothing() {
    check(HOUSE, "", expect![""]);
    check(HOUSE, " \t-_\n", expect![""]);
    check("", "pdf", expect![""]);
    assert_eq!(rank(&documents(HOUSE), "pdf", 0), []);
    assert_eq!(rank(&documents(HOUSE), "pdf", 2).len(), 2);
}

#[test]
fn a_word_nobody_has_finds_nothing() {
    check(HOUSE, "zebra", expect![""]);
    check(HOUSE, "+++", expect![""]);
}

const FORMS: &str = "
    code-review | Looks at a change before it is merged
    kubernetes-deploy | Puts services on a cluster
    query-runner | Asks a database
    github-issues | Works on GitHub and in JavaScript
    release-notes | Tells users what is new | | getUserName caches queries
";

#[test]
fn other_forms_of_a_word_are_the_word() {
    check(FORMS, "reviews", expect!["2 code-review"]);
    check(
        FORMS,
        "queries",
        expect![[r#"
        2 query-runner
        0 release-notes"#]],
    );
    check(FORMS, "reviewing codes", expect!["2 code-review"]);
    check(FORMS, "caching", expect!["0 release-notes"]);
}

#[test]
fn camel_case_is_met_whole_and_in_parts() {
    check(FORMS, "javascript", expect!["1 github-issues"]);
    check(FORMS, "user", expect!["1 release-notes"]);
    check(FORMS, "codereview", expect!["2 code-review"]);
    check(FORMS, "CodeReview", expect!["2 code-review"]);
}

#[test]
fn a_word_half_typed_is_found() {
    check(FORMS, "kub", expect!["3 kubernetes-deploy"]);
    check(FORMS, "deploy clus", expect!["0 kubernetes-deploy"]);
    check(FORMS, "notes ne", expect!["0 release-notes"]);
    check(FORMS, "ca ne", expect!["0 release-notes"]);
}

#[test]
fn slips_are_forgiven_in_longer_words() {
    check(FORMS, "reveiw", expect!["0 code-review"]);
    check(FORMS, "kuberentes", expect!["0 kubernetes-deploy"]);
    check(FORMS, "kubrnets", expect!["0 kubernetes-deploy"]);
    check(FORMS, "githbu isues", expect!["0 github-issues"]);
    check(FORMS, "cods", expect!["0 code-review"]);
    check(FORMS, "qry", expect![""]);
}

#[test]
fn a_misspelt_word_of_a_name_comes_before_one_of_a_description() {
    let fixture = "
        a | Secret kubernetes
        b | kubernetes kubernetes kubernetes kubernetes
        kubernetes-deploy-to-many-clusters | Ships what was built and tested
        test | Runs every test of a project and says which of them fail, and where
    ";
    check(
        fixture,
        "kubernetse",
        expect![[r#"
        0 kubernetes-deploy-to-many-clusters
        0 b
        0 a"#]],
    );
    check(
        fixture,
        "deploy kubernetse",
        expect![[r#"
        0 kubernetes-deploy-to-many-clusters
        0 b
        0 a"#]],
    );
}

#[test]
fn a_slip_in_a_word_that_ends_in_a_vowel_and_y_is_forgiven() {
    let documents = documents(FORMS);
    let index = indexed(&documents);
    for query in ["depoly", "deply", "dploy", "deplyo", "depolys", "deploing"] {
        check(FORMS, query, expect!["0 kubernetes-deploy"]);
        agree((&documents, &index), &[0, 1, 2, 3, 4], query);
    }
}

#[test]
fn a_word_that_stands_somewhere_is_no_slip_of_another() {
    check("text | Sets type\ntest | Proves things", "test", expect!["4 test"]);
    check("text | Sets type\nother | Proves things", "test", expect!["0 text"]);
    check("sha256 | Hashes\nsha512 | Hashes too", "sha512", expect!["4 sha512"]);
}

#[test]
fn an_exact_word_in_a_body_is_better_than_a_slip() {
    check(
        "lint | Checks\nhint | Guesses | | lint",
        "lint",
        expect![[r#"
        4 lint
        0 hint"#]],
    );
    check(
        "notes | a | | lint\nlinks | b",
        "lint",
        expect![[r#"
        0 notes
        0 links"#]],
    );
}

#[test]
fn a_piece_of_a_word_is_better_than_a_slip() {
    check(
        "style | Style | Where eslint runs\nlink | Joins",
        "lint",
        expect![[r#"
        0 style
        0 link"#]],
    );
}

#[test]
fn a_loose_match_of_a_common_word_is_no_rare_word() {
    let fixture = "a | | test it\nb | | test it\nc | | test it\nd | | testament\ne | | nothing";
    check(
        fixture,
        "test",
        expect![[r#"
        0 a
        0 b
        0 c
        0 d"#]],
    );
}

#[test]
fn scripts_without_blanks_are_searched_by_pairs() {
    let fixture = "review | 代码审查工具\nwriter | 审计代价\nkana | プログラムのテスト";
    check(fixture, "代码", expect!["1 review"]);
    check(fixture, "审查 代码", expect!["0 review"]);
    check(fixture, "テスト", expect!["1 kana"]);
    check(fixture, "价", expect!["1 writer"]);
}

#[test]
fn case_is_folded_in_every_script() {
    check("prüfung | ÜBER\nпроверка | Код", "über", expect!["1 prüfung"]);
    check("prüfung | ÜBER\nпроверка | Код", "ПРОВЕРКА", expect!["4 проверка"]);
}

#[test]
fn a_match_may_straddle_two_fields() {
    check("alpha | beta gamma | delta", "gamma delta", expect!["0 alpha"]);
}

#[test]
fn ties_are_ordered_by_qualified_name() {
    check(
        "b/x | same\na/x | same\nc/x | same",
        "same",
        expect![[r#"
        1 a/x
        1 b/x
        1 c/x"#]],
    );
}

#[test]
fn the_order_of_the_documents_does_not_matter() {
    let mut documents = documents(HOUSE);
    let expected = names(&documents, "pdf forms");
    documents.reverse();
    assert_eq!(names(&documents, "pdf forms"), expected);
}

#[test]
fn a_repeated_word_is_one_word() {
    let documents = documents(HOUSE);
    assert_eq!(names(&documents, "merge merge merging pdf"), names(&documents, "merge pdf"));
}

/// Where the query stands: 3 in the name, 2 in the description, 1 elsewhere.
fn floor(document: &Document<'_>, query: &str) -> u8 {
    let fold = |text: &str| text.to_lowercase().replace('-', " ");
    let holds = |text: &str| fold(text).contains(&fold(query));
    match () {
        () if holds(document.name) => 3,
        () if holds(document.description) => 2,
        () if holds(document.qualified_name) || holds(document.when_to_use) => 1,
        () => 0,
    }
}

#[test]
fn no_random_document_falls_below_the_floor() {
    const WORDS: [&str; 8] = ["ab", "abc", "cab", "Tests", "test", "b", "latest", "c-test"];
    let mut dice = Dice::new(0x9e37_79b9_7f4a_7c15);
    let mut next = |bound: usize| dice.below(bound);
    for _ in 0..300 {
        let mut text = |most: usize| {
            let count = next(most + 1);
            (0..count).map(|_| WORDS[next(WORDS.len())]).collect::<Vec<_>>().join(" ")
        };
        let texts: Vec<[String; 4]> = (0..12).map(|_| [text(2), text(4), text(4), text(9)]).collect();
        let documents: Vec<_> = texts
            .iter()
            .map(|[name, description, when_to_use, body]| Document {
                name,
                qualified_name: name,
                description,
                when_to_use,
                body,
            })
            .collect();
        let query = WORDS[next(WORDS.len())].to_lowercase();
        let hits = rank(&documents, &query, usize::MAX);
        let scores: Vec<_> = hits.iter().map(|hit| floor(&documents[hit.index], &query)).collect();
        let named = scores.iter().rposition(|score| *score == 3);
        let described = scores.iter().position(|score| *score == 2);
        assert!(named.is_none() || described.is_none() || named < described, "{query}: {documents:?}");
        let described = scores.iter().rposition(|score| *score == 2);
        let elsewhere =
            hits.iter().zip(&scores).position(|(hit, score)| *score == 1 && hit.score.floor() != 2.0);
        assert!(described.is_none() || elsewhere.is_none() || described < elsewhere);
        let found = documents.iter().filter(|document| floor(document, &query) > 0).count();
        assert_eq!(scores.iter().filter(|score| **score > 0).count(), found, "{query}: {documents:?}");
    }
}

fn indexed(documents: &[Document<'_>]) -> Index {
    let mut index = Index::default();
    for (place, document) in documents.iter().enumerate() {
        assert_eq!(index.add(document), place);
    }
    index
}

/// What the index gives for a part of the documents, beside what a pass over their texts gives.
#[track_caller]
fn agree((documents, index): (&[Document<'_>], &Index), members: &[usize], query: &str) {
    let chosen: Vec<Document<'_>> = members.iter().map(|member| documents[*member]).collect();
    let among = index.select(members.to_vec());
    let (looked_up, read) = (index.rank(&among, query, usize::MAX), rank(&chosen, query, usize::MAX));
    // Scores are compared to the last bit.
    assert_eq!(looked_up, read, "{query:?} among {members:?}");
    assert_eq!(index.rank(&among, query, 2), rank(&chosen, query, 2), "{query:?}");
}

/// Words that are near to each other, in several scripts; the sign for Kelvin and the dotted capital I are odd in lower case.
const PIECES: &str = "test Tests testing tset review reviews code codes coding GitHub git hub getURLPath pdf PDFs deploy deployment \
    deploys кот проверка über ÜBER 代码审查 代码 \u{212a}elvin kelvin İstanbul istanbul sha256 sha512 a x-y_z — …";

fn text(dice: &mut Dice, most: usize) -> String {
    let pieces: Vec<&str> = PIECES.split_whitespace().collect();
    let mut text = String::new();
    for _ in 0..dice.below(most + 1) {
        text.push_str(dice.pick(&pieces).unwrap());
        text.push_str(dice.pick(&[" ", "-", "_", ", ", "", "\n"]).unwrap());
    }
    text
}

#[test]
fn the_index_ranks_as_a_pass_over_the_texts_does() {
    let mut dice = Dice::new(0x2545_f491_4f6c_dd1d);
    for round in 0..8 {
        let texts: Vec<[String; 5]> =
            (0..12).map(|_| [3, 2, 8, 4, 40].map(|most| text(&mut dice, most))).collect();
        let qualified: Vec<String> =
            texts.iter().map(|[name, plugin, ..]| format!("{plugin}/{name}")).collect();
        let mut documents = Vec::new();
        for ([name, _, description, when_to_use, body], qualified_name) in texts.iter().zip(&qualified) {
            documents.push(Document { name, qualified_name, description, when_to_use, body });
        }
        let index = indexed(&documents);
        let all: Vec<usize> = (0..12).collect();
        let some: Vec<usize> = all.iter().rev().copied().filter(|member| (member + round) % 3 != 0).collect();
        let asked = [1, 2, 4].map(|most| text(&mut dice, most));
        for query in asked.iter().map(String::as_str).chain(PIECES.split_whitespace()) {
            agree((&documents, &index), &all, query);
            agree((&documents, &index), &some, query);
        }
    }
}

#[test]
fn the_index_takes_odd_queries_as_a_pass_does() {
    let documents = documents(HOUSE);
    let index = indexed(&documents);
    let all: Vec<usize> = (0..documents.len()).collect();
    let long = "pdf forms ".repeat(60);
    let odd =
        ["", " ", "-", "\0", "p", "pd", "pfd", "pdff", "documnets", "docuemnt", "PDF-Forms", "e", &long];
    for query in odd.into_iter().chain(["forms pdf", "merge tools/pdf", "pdf | reads"]) {
        for members in [&*all, &[7, 2, 0], &[]] {
            agree((&documents, &index), members, query);
        }
    }
}
