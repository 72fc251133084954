//! Commands that give others a standing way in: reverse shells, planted keys, things that start again by themselves.

use crate::codes::Code;
use crate::shell::command::Command;
use crate::shell::reader::Reader;

/// Files that are run again later.
const STARTUP: &[&str] = &[
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_profile",
    ".zprofile",
    ".zshenv",
    "/etc/cron",
    "/etc/profile",
    "/etc/rc.local",
    "/etc/systemd/",
    "LaunchAgents/",
    "LaunchDaemons/",
    ".config/autostart",
    ".config/systemd/user",
    "/etc/init.d",
];

pub fn check(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    let code = match command.name() {
        _ if is_reverse_shell(command) => Code::ReverseShell,
        _ if writes_to(command, |path| path.contains(".ssh/authorized_keys")) => Code::PlantKey,
        _ if is_persistent(command) => Code::Persistence,
        _ if disables(command) => Code::DisableProtection,
        _ => return,
    };
    reader.report(command, code, text);
}

fn is_reverse_shell(command: &Command) -> bool {
    let name = command.name();
    let is_shell = |text: &str| {
        ["sh", "bash", "zsh", "cmd.exe"].iter().any(|shell| text.rsplit('/').next() == Some(shell))
    };
    let to_network = command.redirects.iter().any(|redirect| {
        redirect.target.text.starts_with("/dev/tcp/") || redirect.target.text.starts_with("/dev/udp/")
    });
    match name {
        "nc" | "ncat" | "netcat" => {
            let runs = command
                .values(&["-e", "-c", "--exec", "--sh-exec"])
                .any(|word| is_shell(word.text.split(' ').next().unwrap_or_default()));
            runs || command
                .redirects
                .iter()
                .any(|redirect| redirect.operator == "<" && redirect.target.text.contains("fifo"))
        }
        "socat" => command
            .args()
            .iter()
            .any(|word| word.text.to_ascii_lowercase().contains("exec:") && word.text.contains("sh")),
        name => {
            to_network
                && (is_shell(name)
                    || name == "exec"
                    || command.words.first().is_some_and(|word| word.text == "exec"))
        }
    }
}

fn writes_to(command: &Command, is_place: impl Fn(&str) -> bool) -> bool {
    let redirected = command
        .redirects
        .iter()
        .any(|redirect| redirect.operator.contains('>') && is_place(&redirect.target.text));
    let named = matches!(command.name(), "tee" | "cp" | "mv" | "install" | "ln")
        && command.operands().last().is_some_and(|word| is_place(&word.text));
    redirected || named
}

fn is_persistent(command: &Command) -> bool {
    let first = command.operands().next().map_or("", |word| word.text.as_str());
    match command.name() {
        "crontab" => !command.has('l', "") && !command.has('e', "") && !command.has('r', ""),
        "launchctl" => matches!(first, "load" | "bootstrap" | "enable"),
        "systemctl" => command.operands().any(|word| word.text == "enable"),
        _ => writes_to(command, |path| STARTUP.iter().any(|file| path.contains(file))),
    }
}

fn disables(command: &Command) -> bool {
    let has = |text: &str| command.args().iter().any(|word| word.text.eq_ignore_ascii_case(text));
    match command.name() {
        "spctl" => has("--master-disable") || has("--global-disable"),
        "xattr" => {
            command.args().iter().any(|word| word.text.contains("com.apple.quarantine"))
                && !has("-l")
                && !has("-p")
        }
        "setenforce" => has("0") || has("Permissive"),
        "csrutil" | "ufw" => has("disable"),
        "iptables" => has("-F") || has("--flush"),
        "Set-MpPreference" => true,
        _ => false,
    }
}
