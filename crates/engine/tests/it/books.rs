//! The installation's books: where they are opened, what is said when they cannot be, and runs whose process is gone.

use std::fs;
use std::future::Future;
use std::path::Path;

use expect_test::{Expect, expect};
use guild_engine::ledger::receipt::{Entry, Kind};
use guild_engine::ledger::{Filter, RunId, Timestamp};
use guild_engine::manifest::config::Layer;
use guild_engine::{Books, ConfigFile, Places, Principal, Refusal, configure};
use guild_testkit::Postgres;

/// A home of its own, with what its person's and its project's configuration say.
struct Home {
    directory: tempfile::TempDir,
    files: Vec<ConfigFile>,
}

impl Home {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), files: Vec::new() }
    }

    fn with(layer: Layer, text: &str) -> Self {
        let content = Ok(text.as_bytes().to_vec());
        let path = format!("/{layer:?}.toml").to_lowercase();
        Self { files: vec![ConfigFile { layer, path, content }], ..Self::new() }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn places(&self) -> Places {
        let place = |name: &str| Some(self.path().join(name));
        Places { data: place("data"), state: place("state"), cache: None }
    }

    async fn open(&self) -> Result<Books, Refusal> {
        let configured = configure(&self.files);
        Books::open_to_write(&self.places(), &configured.config, &configured.ignored, at(0)).await
    }

    /// The books after one receipt was written and they were closed.
    async fn written(&self) {
        let books = self.open().await.unwrap();
        books.ledger.append(at(0), entry(Kind::Load)).await.unwrap();
        books.ledger.close().await.unwrap();
    }

    fn shown(&self, refusal: &Refusal) -> String {
        let message = refusal.message.replace(self.path().to_str().unwrap(), "[HOME]");
        format!("{}: {message}", refusal.code.as_str())
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + 1000 * seconds)
}

fn entry(kind: Kind) -> Entry {
    Entry::new(kind, "ok", Principal::person("terminal"))
}

#[track_caller]
fn check_refused(home: &Home, expected: &Expect) {
    run(async {
        let refusal = home.open().await.unwrap_err();
        expected.assert_eq(&home.shown(&refusal));
    });
}

#[test]
fn everything_lies_where_the_layout_says_and_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    run(home.written());
    for (path, mode) in [
        ("data/ledger.db", 0o600),
        ("data/keys", 0o700),
        ("data/keys/installation.json", 0o600),
        ("state/heads", 0o700),
    ] {
        let found = fs::metadata(home.path().join(path)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{path}");
    }
}

#[test]
fn a_ledger_that_cannot_be_opened_is_ledger_unavailable() {
    let home = Home::new();
    fs::create_dir_all(home.path().join("data")).unwrap();
    fs::write(home.path().join("data/ledger.db"), "this is no database, whatever its name says").unwrap();
    check_refused(
        &home,
        &expect![
            "ledger_unavailable: [HOME]/data/ledger.db: the ledger is damaged or no database: file is not a database; restore it from a backup, or move it away to begin anew"
        ],
    );
}

#[test]
fn a_ledger_of_a_newer_program_is_ledger_newer() {
    let home = Home::new();
    run(home.written());
    // SQLite's header has the schema's version at byte 60.
    let path = home.path().join("data/ledger.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..64].copy_from_slice(&900_u32.to_be_bytes());
    fs::write(&path, bytes).unwrap();
    check_refused(
        &home,
        &expect![
            "ledger_newer: [HOME]/data/ledger.db: the ledger has schema 900, and this program knows 3: use a newer Guildhall"
        ],
    );
}

#[test]
fn a_configuration_that_cannot_be_read_hides_where_the_ledger_is() {
    check_refused(
        &Home::with(Layer::User, "[ledger\nurl = 1"),
        &expect![
            "ledger_unavailable: /user.toml cannot be read (invalid TOML: unclosed table, expected `]`), so nobody can tell where the ledger is; mend it first"
        ],
    );
}

#[test]
fn what_the_configuration_says_wrongly_is_refused_and_never_a_default() {
    for (text, expected) in [
        (
            "[ledger]\nurl = \"postgres:hunter2\"",
            expect![
                "ledger_unavailable: the configuration cannot be followed: `ledger.url` is no URL of PostgreSQL"
            ],
        ),
        (
            "[trust]\ninstallations = [\"ed25519:00\"]",
            expect![
                "ledger_unavailable: the configuration cannot be followed: `trust.installations` is no list of public keys"
            ],
        ),
        (
            "[approvals]\nflag = \"no\"",
            expect![
                "ledger_unavailable: the configuration cannot be followed: `approvals.flag` is neither true nor false"
            ],
        ),
    ] {
        check_refused(&Home::with(Layer::User, text), &expected);
    }
}

#[test]
fn a_slip_in_the_configuration_is_a_problem_that_shows_no_password() {
    let fixture = guild_testkit::Fixture::write(
        "//- /home/config.toml\n[ledger]\nurl = \"mysql://guild:hunter2@db/guild\"\n[approvals]\nflags = false\n//- /project/\n",
    );
    let hall = crate::hall(&fixture);
    let told: Vec<String> = hall
        .config_problems()
        .map(|problem| format!("{}: {} ({})", problem.code.as_str(), problem.message, problem.hint))
        .collect();
    expect![[r#"
        config_value_invalid: `ledger.url` is no URL of PostgreSQL (write `postgres://user@host/database`)
        config_key_unknown: `approvals.flags` is not known and was ignored (did you mean `flag`?)"#]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn a_projects_file_decides_nothing_about_the_books() {
    let text = "[ledger]\nurl = \"postgres://evil.example/guild\"\n[approvals]\nflag = true\n[trust]\ninstallations = []";
    let home = Home::with(Layer::Project, text);
    run(home.written());
    assert!(home.path().join("data/ledger.db").exists());
    let problems = configure(&home.files).problems;
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["config_key_untrusted"; 3]);
}

#[test]
fn one_file_that_forbids_the_flag_is_enough() {
    let mut home = Home::with(Layer::System, "[approvals]\nflag = false");
    home.files.extend(Home::with(Layer::User, "[approvals]\nflag = true").files);
    run(async {
        assert!(!home.open().await.unwrap().approvals.flag);
        assert!(Home::new().open().await.unwrap().approvals.flag);
    });
}

#[test]
fn a_url_leads_to_postgresql_and_its_password_is_never_shown() {
    let server = Postgres::start();
    let url = server.database("books");
    let home = Home::with(Layer::User, &format!("[ledger]\nurl = \"{url}\""));
    run(home.written());
    assert!(!home.path().join("data/ledger.db").exists());

    let url = url.replace("guild@", "guild:hunter2@").replace("/books?", "/elsewhere?");
    let home = Home::with(Layer::User, &format!("[ledger]\nurl = \"{url}\""));
    run(async {
        let refusal = home.open().await.unwrap_err();
        let shown = home.shown(&refusal);
        let expected =
            "ledger_unavailable: postgres://guild@localhost/elsewhere: the ledger cannot be reached: ";
        assert!(shown.starts_with(expected) && !shown.contains("hunter2"), "{shown}");
    });
}

#[test]
fn a_chain_without_its_head_is_ledger_cut_and_nothing_is_written() {
    let home = Home::new();
    run(async {
        home.written().await;
        fs::remove_dir_all(home.path().join("state/heads")).unwrap();
        let books = home.open().await.unwrap();
        let run = RunId::new(at(1)).unwrap();
        let error = books.ledger.start(at(1), run, entry(Kind::Started), None).await.unwrap_err();
        assert!(error.to_string().contains("head is missing"), "{error}");
        assert_eq!(books.ledger.verify().await.unwrap().receipts(), 1);
    });
}

#[test]
fn a_run_whose_process_is_gone_is_interrupted_and_one_that_lives_is_not() {
    let home = Home::new();
    run(async {
        let books = home.open().await.unwrap();
        let (living, dead) = (RunId::new(at(1)).unwrap(), RunId::new(at(2)).unwrap());
        let lock = books.lock_run(living).unwrap();
        for run in [living, dead] {
            let entry = Entry { run: Some(run), ..entry(Kind::Started) };
            books.ledger.start(at(2), run, entry, None).await.unwrap();
        }
        assert_eq!(books.sweep(at(3)).await.unwrap(), [dead]);
        assert_eq!(books.sweep(at(4)).await.unwrap(), []);
        let filter = Filter { run: Some(dead), ..Filter::default() };
        let page = books.ledger.receipts(&filter, None, 10).await.unwrap();
        let kinds: Vec<&str> = page.receipts.iter().map(|it| it.receipt.entry.kind.as_str()).collect();
        assert_eq!(kinds, ["interrupted", "started"]);
        drop(lock);
        assert_eq!(books.sweep(at(5)).await.unwrap(), [living]);
        drop(books);
        assert_eq!(fs::read_dir(home.path().join("state/runs")).unwrap().count(), 0);
    });
}
