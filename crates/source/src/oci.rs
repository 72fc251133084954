//! Artifacts of container registries: what a person types to name one. Fetching is another's business.

/// A repository of a registry, and what of it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OciSpec {
    /// The registry and the repository: `registry.example/team/skills`.
    pub name: String,
    /// A tag or a digest; nothing for the tag `latest`.
    pub reference: Option<String>,
}

impl OciSpec {
    /// Reads `registry/repository`, with `:tag` or `@sha256:…` behind it. The registry is always named.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, digest) = match text.split_once('@') {
            Some((text, digest)) => (text, Some(digest)),
            None => (text, None),
        };
        let (registry, rest) = text.split_once('/')?;
        let (repository, tag) = match rest.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag)),
            None => (rest, None),
        };
        let is_name = is_registry(registry) && repository.split('/').all(is_part) && text.len() <= 255;
        // A digest says more than the tag beside it.
        let reference = digest.or(tag);
        (is_name && tag.is_none_or(is_reference) && reference.is_none_or(is_reference)).then(|| Self {
            name: format!("{registry}/{repository}"),
            reference: reference.map(str::to_owned),
        })
    }

    /// The whole of it, as registries' clients read it.
    pub fn whole(&self) -> String {
        match &self.reference {
            Some(digest) if digest.contains(':') => format!("{}@{digest}", self.name),
            Some(tag) => format!("{}:{tag}", self.name),
            None => format!("{}:latest", self.name),
        }
    }

    /// What a skill at the root of it is called that has no name of its own.
    pub fn last_part(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}

/// Whether a text is a tag, or a digest.
pub fn is_reference(text: &str) -> bool {
    if let Some(hex) = text.strip_prefix("sha256:") {
        return hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    }
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.-".contains(char);
    (1..=128).contains(&text.len()) && !text.starts_with(['.', '-']) && text.chars().all(is_plain)
}

/// `localhost`, or a host with a dot or a port in it, as everybody tells registries from repositories.
fn is_registry(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let is_plain = |char: char| char.is_ascii_alphanumeric() || ".-".contains(char);
    let is_host = !host.is_empty() && !host.starts_with(['.', '-']) && host.chars().all(is_plain);
    let is_named = host == "localhost" || host.contains('.') || port.is_some();
    is_host && is_named && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

fn is_part(part: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
    part.starts_with(is_plain)
        && part.ends_with(is_plain)
        && part.chars().all(|char| is_plain(char) || "._-".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_repositories_tags_and_digests() {
        let digest = format!("sha256:{}", "a1".repeat(32));
        let check = |text: &str, whole: &str| {
            let spec = OciSpec::parse(text);
            assert_eq!(spec.map(|spec| spec.whole()).as_deref(), Some(whole), "{text}");
        };
        check("ghcr.io/acme/pdf", "ghcr.io/acme/pdf:latest");
        check("localhost/pdf:1.2", "localhost/pdf:1.2");
        check("127.0.0.1:5000/a/b-c_d:v1", "127.0.0.1:5000/a/b-c_d:v1");
        check(&format!("ghcr.io/pdf@{digest}"), &format!("ghcr.io/pdf@{digest}"));
        check(&format!("ghcr.io/pdf:1@{digest}"), &format!("ghcr.io/pdf@{digest}"));
    }

    #[test]
    fn what_names_no_artifact() {
        let refused = [
            "",
            "pdf",
            "acme/pdf",
            "ghcr.io",
            "ghcr.io/",
            "ghcr.io/Pdf",
            "ghcr.io/../pdf",
            "ghcr.io/a//b",
            "ghcr.io/pdf:",
            "ghcr.io/pdf:-x",
            "ghcr.io/pdf@sha256:12",
            "ghcr.io/pdf@sha512:aa",
            "ghcr.io:x/pdf",
            "-x.io/pdf",
            "a b.io/pdf",
            "ada:secret@ghcr.io/pdf",
        ];
        for text in refused {
            assert_eq!(OciSpec::parse(text), None, "{text}");
        }
    }
}
