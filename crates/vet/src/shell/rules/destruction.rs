//! Commands that destroy: files, disks, permissions, history.

use crate::codes::Code;
use crate::places::is_precious;
use crate::shell::command::Command;
use crate::shell::reader::Reader;

/// Devices that hold file systems.
const DISKS: &[&str] =
    &["/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/disk", "/dev/rdisk", "/dev/mmcblk"];
/// Branches that others build on.
const SHARED: &[&str] = &["main", "master", "trunk", "production", "release"];

pub fn check(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    let name = command.name();
    let code = match name {
        "rm" if deletes_everything(command) => Code::DestroyFiles,
        "find" if finds_and_deletes(command) => Code::DestroyFiles,
        "dd" if command.args().iter().any(|word| word.text.strip_prefix("of=").is_some_and(is_disk)) => {
            Code::DestroyDisk
        }
        "shred" | "wipefs" | "blkdiscard" if command.operands().any(|word| is_disk(&word.text)) => {
            Code::DestroyDisk
        }
        _ if formats(command) => Code::DestroyDisk,
        "chmod" if opens_everything(command) => Code::OpenPermissions,
        "git" if overwrites_history(command) => Code::ForcePush,
        _ if writes_disk(command) => Code::DestroyDisk,
        _ => return,
    };
    reader.report(command, code, text);
}

fn deletes_everything(command: &Command) -> bool {
    let recursive = command.has('r', "--recursive") || command.has('R', "");
    recursive
        && (command.operands().any(|word| is_precious(&word.text)) || command.has('\0', "--no-preserve-root"))
}

fn finds_and_deletes(command: &Command) -> bool {
    let from = command.args().first().is_some_and(|word| is_precious(&word.text));
    let narrowed = command
        .args()
        .iter()
        .any(|word| matches!(word.text.as_str(), "-name" | "-path" | "-iname" | "-regex" | "-mtime"));
    let deletes = command.args().iter().any(|word| matches!(word.text.as_str(), "-delete" | "rm"));
    from && deletes && !narrowed
}

fn formats(command: &Command) -> bool {
    command.name().starts_with("mkfs") && command.operands().any(|word| is_disk(&word.text))
}

fn opens_everything(command: &Command) -> bool {
    let open = command
        .operands()
        .any(|word| matches!(word.text.as_str(), "777" | "0777" | "a+rwx" | "ugo+rwx" | "a+w"));
    open && command
        .operands()
        .any(|word| is_precious(&word.text) && !word.text.starts_with('~') && !word.text.starts_with('$'))
}

/// `git push` with force, or with a `+` before the branch, onto a shared branch.
fn overwrites_history(command: &Command) -> bool {
    let mut operands =
        command.operands().map(|word| word.text.as_str()).skip_while(|word| *word != "push").skip(1);
    let is_push = command.operands().any(|word| word.text == "push");
    let forced =
        command.args().iter().any(|word| matches!(word.text.as_str(), "-f" | "--force" | "-uf" | "-fu"));
    let remote = operands.next();
    is_push
        && remote.is_some()
        && operands.any(|branch| {
            let plus = branch.starts_with('+');
            let onto = branch.trim_start_matches('+').rsplit(':').next().unwrap_or_default();
            let onto = onto.strip_prefix("refs/heads/").unwrap_or(onto);
            (forced || plus) && SHARED.contains(&onto)
        })
}

fn writes_disk(command: &Command) -> bool {
    command.redirects.iter().any(|redirect| redirect.operator.contains('>') && is_disk(&redirect.target.text))
}

fn is_disk(path: &str) -> bool {
    DISKS.iter().any(|disk| path.starts_with(disk))
}
