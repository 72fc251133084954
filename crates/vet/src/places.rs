//! Places on a machine that hold what is nobody else's: keys, tokens, browsers' stores, wallets.
//!
//! The lists are data; whether reading one of them is theft is for the rules to say.

/// Parts of paths that hold credentials wherever they lie; matched in lower case, with `/` between parts.
const CREDENTIAL_PARTS: &[&str] = &[
    ".ssh/id_",
    ".ssh/identity",
    ".aws/credentials",
    ".aws/config",
    ".config/gcloud/",
    ".azure/accesstokens",
    ".kube/config",
    ".docker/config.json",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".gnupg/",
    ".pgpass",
    ".config/gh/hosts",
    ".cargo/credentials",
    ".gem/credentials",
    ".terraform.d/credentials",
    ".vault-token",
    "/etc/shadow",
    "/etc/sudoers",
    "login data",
    "cookies.sqlite",
    "cookies.binarycookies",
    "logins.json",
    "key4.db",
    "/default/cookies",
    "web data",
    "local state",
    "keychain-db",
    "login.keychain",
    "/keychains/",
    ".password-store",
    "wallet.dat",
    ".electrum/",
    ".bitcoin/",
    ".ethereum/keystore",
    ".config/solana/id.json",
    "exodus.wallet",
    "/exodus/",
    "metamask",
    "nkbihfbeogaeaoehlefnkodbefgpgknn",
    ".local/share/keyrings",
    "application support/google/chrome",
    "application support/firefox",
    ".mozilla/firefox",
    ".config/google-chrome",
    "1password",
    "bitwarden",
    "keepass",
    ".claude/.credentials",
    ".codex/auth.json",
    ".clawdbot/.env",
    ".openclaw/.env",
    ".moltbot/.env",
    ".clawdbot/credentials",
    ".openclaw/credentials",
    ".clawdbot/clawdbot.json",
    ".openclaw/openclaw.json",
    ".bash_history",
    ".zsh_history",
    "id_rsa",
    "id_ed25519",
    ".config/op/",
];

/// Names of files that hold credentials when they are the last part of a path.
const CREDENTIAL_NAMES: &[&str] =
    &[".env", ".env.local", ".env.production", "credentials.json", ".ssh", ".aws", ".gnupg"];

/// Whether a path leads to credentials.
pub fn is_credential(path: &str) -> bool {
    let path = path.trim_matches(['"', '\'', ' ']).replace('\\', "/").to_ascii_lowercase();
    if path.is_empty() || path.len() > 512 || path.contains("://") || is_sample(&path) {
        return false;
    }
    let path = path.trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    CREDENTIAL_NAMES.contains(&last) && (last != ".ssh" || path.len() > 4)
        || CREDENTIAL_PARTS.iter().any(|part| path.contains(part))
}

fn is_sample(path: &str) -> bool {
    [".pub", ".example", ".sample", ".template", ".dist", "known_hosts"].iter().any(|end| path.ends_with(end))
}

/// Directories whose loss is the loss of everything.
const PRECIOUS: &[&str] = &[
    "/",
    "/*",
    "/.",
    "~",
    "~/",
    "~/*",
    "$HOME",
    "$HOME/",
    "$HOME/*",
    "${HOME}",
    "${HOME}/",
    "${HOME}/*",
    "/home",
    "/home/",
    "/home/*",
    "/root",
    "/Users",
    "/Users/*",
    "/etc",
    "/usr",
    "/var",
    "/bin",
    "/boot",
    "/lib",
    "/opt",
    "/sbin",
    "/sys",
    "/dev",
    "/*/",
    "//",
    "/..",
    "/etc/*",
    "/usr/*",
    "/var/*",
    "/boot/*",
    "C:\\",
    "C:/",
    "%USERPROFILE%",
];

/// Whether a path is the root, a home directory or a part of the system.
pub fn is_precious(path: &str) -> bool {
    let path = path.trim_matches(['"', '\'']);
    PRECIOUS.contains(&path) || PRECIOUS.contains(&path.trim_end_matches('/')) && path.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_known_by_their_place() {
        let yes = ["~/.ssh/id_rsa", "$HOME/.aws/credentials", ".env", "/home/x/.openclaw/.env", "~/.netrc"];
        let no =
            ["~/.ssh/id_rsa.pub", ".env.example", "src/env.rs", "https://x.example/.env", "config.toml", ""];
        yes.iter().for_each(|path| assert!(is_credential(path), "{path}"));
        no.iter().for_each(|path| assert!(!is_credential(path), "{path}"));
    }

    #[test]
    fn only_whole_systems_and_homes_are_precious() {
        let yes = ["/", "/*", "~", "$HOME/", "/etc", "\"$HOME\""];
        let no = ["/tmp/x", "~/x", "./build", "$HOME/.cache/x", "", "node_modules", "/var/tmp/x"];
        yes.iter().for_each(|path| assert!(is_precious(path), "{path}"));
        no.iter().for_each(|path| assert!(!is_precious(path), "{path}"));
    }
}
