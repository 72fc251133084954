//! Repositories of this disk are read without git, and what comes of that is what comes of fetching them.

use expect_test::expect;
use guild_source::git::{self, GitAnswer, GitCall, GitFailure, GitProgram};
use guild_source::spec::GitSpec;
use guild_testkit::{Fixture, Repository};
use std::fs;
use std::future::Future;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use crate::world::listing;

const SKILLS: &str = "
//- /README.md
# Skills
//- /skills/pdf/SKILL.md
Read the file.
//- /skills/pdf/scripts/read.sh mode:755
#!/bin/sh
";

/// Git as it is on this machine, which counts how often it is called.
#[derive(Default)]
struct Counted(AtomicUsize);

impl GitProgram for Counted {
    #[expect(clippy::disallowed_methods, reason = "what git fetches is what is compared with")]
    fn call<'a>(
        &'a self,
        call: GitCall,
    ) -> Pin<Box<dyn Future<Output = Result<GitAnswer, GitFailure>> + Send + 'a>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let stdin = call.directory.join("stdin");
        fs::write(&stdin, &call.stdin).unwrap();
        let mut command = Command::new("git");
        command.args(&call.arguments).current_dir(&call.directory).env("LC_ALL", "C").env("HOME", "/nowhere");
        command.stdin(fs::File::open(&stdin).unwrap());
        let output = match call.stdout {
            Some(file) => command.stdout(file).stderr(Stdio::piped()).spawn().unwrap().wait_with_output(),
            None => command.output(),
        };
        let output = output.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Box::pin(async move { Ok(GitAnswer { code, stdout: output.stdout, stderr }) })
    }
}

/// What is asked of a repository.
#[derive(Default, Clone, Copy)]
struct Asked<'a> {
    reference: Option<&'a str>,
    path: Option<&'a str>,
    is_loose: bool,
}

/// What comes of an address, and how often git was called for it.
#[track_caller]
fn got(url: String, asked: Asked<'_>) -> (String, usize) {
    let fixture = Fixture::write("//- /scratch/\n//- /into/\n");
    let (scratch, into) = (fixture.join("scratch"), fixture.join("into"));
    let (reference, path) = (asked.reference.map(str::to_owned), asked.path.map(str::to_owned));
    let spec = GitSpec { url, reference, path, is_loose: asked.is_loose, ..GitSpec::default() };
    let counted = Counted::default();
    let fetching = pin!(git::fetch(&counted, &spec, &scratch, &into));
    // Nothing here is waited for.
    let fetched = match fetching.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(fetched) => Some(fetched),
        Poll::Pending => None,
    };
    let text = match fetched.unwrap() {
        Ok(fetched) if asked.is_loose => {
            let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            format!("{} at {}\n{}", shown(fetched.path), shown(fetched.reference), listing(&into))
        }
        Ok(fetched) => format!("{}\n{}", fetched.commit, listing(&into)),
        Err(error) => error.to_string().replace(&spec.url, "URL"),
    };
    (text, counted.0.load(Ordering::Relaxed))
}

/// Who reads a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Us,
    Git,
}

/// Reads a repository where it lies, and by an address that only git understands; what comes of both is the same.
#[track_caller]
fn check(place: &Path, asked: Asked<'_>, reader: Reader) -> String {
    let [read, fetched] = both_ways(place, asked, reader);
    assert_eq!(read, fetched);
    read
}

/// What comes of a repository where it lies, and of an address of it that only git understands.
#[track_caller]
fn both_ways(place: &Path, asked: Asked<'_>, reader: Reader) -> [String; 2] {
    let plain = format!("file://{}", place.display());
    let (start, last) = plain.split_at(plain.len() - 1);
    let (fetched, calls) = got(format!("{start}%{:02x}", last.bytes().next().unwrap()), asked);
    assert_ne!(calls, 0, "git reads what has an encoded address");
    let (read, calls) = got(plain, asked);
    assert_eq!(if calls == 0 { Reader::Us } else { Reader::Git }, reader, "{read}");
    [read, fetched]
}

#[track_caller]
fn check_whole(place: &Path, reader: Reader) -> String {
    check(place, Asked::default(), reader)
}

/// A repository without a work tree, each object in a file of its own, and the directory that it lies in.
fn published() -> (Repository, Fixture) {
    let (mut repository, fixture) = (Repository::new(), Fixture::write(""));
    repository.commit(SKILLS);
    repository.git(&["tag", "--annotate", "--message", "first", "v1"]);
    repository.commit("//- /skills/pdf/SKILL.md\nRead the file, page by page.\n");
    symlink("pdf/SKILL.md", repository.work().join("skills/link")).unwrap();
    repository.commit("//- /late.txt\nlate\n");
    repository.publish(fixture.path(), "repo.git");
    (repository, fixture)
}

/// The file of an object.
fn object(place: &Path, id: &str) -> PathBuf {
    let (shard, name) = id.trim().split_at(2);
    place.join("objects").join(shard).join(name)
}

#[test]
fn a_commit_is_read_as_it_is_fetched() {
    let (repository, fixture) = published();
    let place = fixture.join("repo.git");
    expect![[r#"
        ee5895d48b3670a40e63bb5f0a9a99575047813b
        0644 README.md: # Skills
        0644 late.txt: late
        0755 skills/
        0777 skills/link: Read the file, page by page.
        0755 skills/pdf/
        0644 skills/pdf/SKILL.md: Read the file, page by page.
        0755 skills/pdf/scripts/
        0755 skills/pdf/scripts/read.sh: #!/bin/sh
    "#]]
    .assert_eq(&check_whole(&place, Reader::Us));
    let path = Some("skills/pdf");
    expect![[r#"
        ee5895d48b3670a40e63bb5f0a9a99575047813b
        0644 SKILL.md: Read the file, page by page.
        0755 scripts/
        0755 scripts/read.sh: #!/bin/sh
    "#]]
    .assert_eq(&check(&place, Asked { path, ..Asked::default() }, Reader::Us));
    let first = repository.git(&["rev-parse", "v1^{commit}"]);
    for reference in ["v1", "main", first.trim()] {
        check(&place, Asked { reference: Some(reference), path: None, ..Asked::default() }, Reader::Us);
    }
    check_whole(&repository.work(), Reader::Us);
}

#[test]
fn packs_are_read_with_what_is_a_change_of_something_else_in_them() {
    let (mut repository, fixture) = (Repository::new(), Fixture::write(""));
    let lines: String = (0..2000).map(|line| format!("This is line {line} of many.\n")).collect();
    for round in 0..40 {
        repository.commit(&format!("//- /{round}.md\n{lines}Round {round}.\n"));
    }
    repository.commit("//- /empty\n");
    repository.git(&["tag", "v1"]);
    let place = repository.publish(fixture.path(), "repo.git");
    let whole = check_whole(&place, Reader::Us);
    let git_dir = format!("--git-dir={}", place.display());
    repository.git(&[&git_dir, "pack-refs", "--all"]);
    // Bases by their places, and then by their ids.
    for by_place in ["true", "false"] {
        let setting = format!("repack.useDeltaBaseOffset={by_place}");
        repository.git(&[&git_dir, "-c", &setting, "repack", "-adfq", "--window=50", "--depth=50"]);
        assert_eq!(check_whole(&place, Reader::Us), whole);
        check(&place, Asked { reference: Some("v1"), path: None, ..Asked::default() }, Reader::Us);
    }
}

#[test]
fn many_files_are_read_on_two_threads_as_git_reads_them() {
    let (mut repository, fixture) = (Repository::new(), Fixture::write(""));
    let lines: String = (0..200).map(|line| format!("This is line {line} of many.\n")).collect();
    let file = |number: usize| format!("//- /{}/deep/{number}.md\n{lines}Number {number}.\n", number % 7);
    repository.commit(&(0..150).map(file).collect::<String>());
    let place = repository.publish(fixture.path(), "repo.git");
    let whole = check_whole(&place, Reader::Us);
    assert_eq!(whole.matches("This is line 0").count(), 150);
    let git_dir = format!("--git-dir={}", place.display());
    repository.git(&[&git_dir, "repack", "-adfq", "--window=50", "--depth=50"]);
    assert_eq!(check_whole(&place, Reader::Us), whole);
}

#[test]
fn a_broken_object_is_noticed_on_either_of_two_threads() {
    for path in ["0/deep/0.md", "6/deep/146.md"] {
        let (mut repository, fixture) = (Repository::new(), Fixture::write(""));
        let file = |number: usize| format!("//- /{}/deep/{number}.md\nNumber {number}.\n", number % 7);
        repository.commit(&(0..150).map(file).collect::<String>());
        let place = repository.publish(fixture.path(), "repo.git");
        let ids = ["0/deep/7.md", path].map(|path| repository.git(&["rev-parse", &format!("main:{path}")]));
        let [other, broken] = ids.map(|id| object(&place, &id));
        let bytes = fs::read(other).unwrap();
        fs::remove_file(&broken).unwrap();
        fs::write(&broken, bytes).unwrap();
        let plain = format!("file://{}", place.display());
        assert_ne!(got(plain, Asked::default()).1, 0, "{path} is left to git");
    }
}

#[test]
fn what_is_not_there_is_said_by_git() {
    let (_repository, fixture) = published();
    let place = fixture.join("repo.git");
    let missing = [
        Asked { reference: Some("v2"), path: None, ..Asked::default() },
        Asked { reference: Some("0123456789012345678901234567890123456789"), path: None, ..Asked::default() },
        Asked { reference: None, path: Some("skills/docx"), ..Asked::default() },
        Asked { reference: None, path: Some("late.txt"), ..Asked::default() },
    ];
    let said = missing.map(|asked| check(&place, asked, Reader::Git));
    expect![[r#"
        URL has no branch, tag or commit `v2`
        URL has no branch, tag or commit `0123456789012345678901234567890123456789`
        URL has no directory `skills/docx`
        URL has no directory `late.txt`"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn an_object_that_is_not_what_its_id_says_is_refused() {
    let (repository, fixture) = published();
    let place = fixture.join("repo.git");
    let [good, evil] =
        ["late.txt", "README.md"].map(|file| repository.git(&["rev-parse", &format!("HEAD:{file}")]));
    let (good, evil) = (object(&place, &good), object(&place, &evil));
    fs::remove_file(&good).unwrap();
    fs::copy(&evil, &good).unwrap();
    // Which end of git is first to say what is broken differs from run to run.
    let check_refused = || {
        for said in both_ways(&place, Asked::default(), Reader::Git) {
            assert!(said.starts_with("cannot fetch URL: "), "{said}");
        }
    };
    check_refused();
    fs::write(&good, "nothing").unwrap();
    check_refused();
}

#[test]
fn nothing_of_a_repository_is_obeyed() {
    let (_repository, fixture) = published();
    let place = fixture.join("repo.git");
    let whole = check_whole(&place, Reader::Us);
    let run = format!("touch {}", fixture.join("ran").display());
    fixture.add(&format!(
        "//- /repo.git/config\n[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = {run}\n\talternateRefsCommand = {run}\n\tsshCommand = {run}\n\
         [uploadpack]\n\tpackObjectsHook = {run}\n[filter \"evil\"]\n\tsmudge = {run}\n\
         //- /repo.git/info/attributes\n* filter=evil\n//- /repo.git/hooks/post-checkout mode:755\n#!/bin/sh\n{run}\n"
    ));
    assert_eq!(check_whole(&place, Reader::Us), whole);
    assert!(!fixture.join("ran").exists());
}

#[test]
fn what_is_unusual_is_left_to_git() {
    let (repository, fixture) = published();
    let place = fixture.join("repo.git");
    let whole = check_whole(&place, Reader::Us);
    let borrowed = fixture.join("borrowed-repo");
    let [from, to] = [&place, &borrowed].map(|path| path.display().to_string());
    repository.git(&["clone", "--quiet", "--bare", "--shared", &from, &to]);
    assert_eq!(check_whole(&borrowed, Reader::Git), whole);
    fs::rename(&place, fixture.join("moved.git")).unwrap();
    fs::remove_file(fixture.join("moved.git/HEAD")).unwrap();
    assert!(check_whole(&fixture.join("moved.git"), Reader::Git).contains("URL"));
}

#[test]
fn what_was_copied_from_a_page_or_typed_in_short_is_read_as_it_was_meant() {
    let mut repository = Repository::new();
    let fixture = Fixture::write("");
    repository.commit(SKILLS);
    repository.git(&["branch", "feature/x"]);
    repository.git(&["branch", "feature/x-2"]);
    repository.git(&["tag", "release/1"]);
    repository.publish(fixture.path(), "repo.git");
    let place = fixture.join("repo.git");
    let read = |reference, path| {
        let asked = Asked { reference, path: Some(path), is_loose: true };
        got(format!("file://{}", place.display()), asked).0
    };
    let shown: Vec<String> = [
        (Some("feature"), "x/skills/pdf"),
        (Some("feature"), "x-2/pdf"),
        (Some("release"), "1"),
        (None, "pdf"),
        (None, "skills/docx"),
        (None, "docx"),
        (Some("nothing"), "x/skills/pdf"),
        (Some("feature"), "y/skills/pdf"),
    ]
    .map(|(reference, path)| read(reference, path))
    .into();
    expect![[r#"
        skills/pdf at feature/x
        0644 SKILL.md: Read the file.
        0755 scripts/
        0755 scripts/read.sh: #!/bin/sh

        skills/pdf at feature/x-2
        0644 SKILL.md: Read the file.
        0755 scripts/
        0755 scripts/read.sh: #!/bin/sh

        - at release/1
        0644 README.md: # Skills
        0755 skills/
        0755 skills/pdf/
        0644 skills/pdf/SKILL.md: Read the file.
        0755 skills/pdf/scripts/
        0755 skills/pdf/scripts/read.sh: #!/bin/sh

        skills/pdf at -
        0644 SKILL.md: Read the file.
        0755 scripts/
        0755 scripts/read.sh: #!/bin/sh

        URL has no directory `skills/docx`
        URL has no directory `docx`
        URL has no branch, tag or commit `nothing`
        URL has no branch, tag or commit `feature`"#]]
    .assert_eq(&shown.join("\n"));
}
