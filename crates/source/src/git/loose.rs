//! What was typed in short, or copied from a page, in the other ways in which it can be read: a ref may go on in the path, and the path
//! may leave out the `skills/` that most repositories begin it with.

use super::call::{Git, succeeded};
use super::error::GitError;
use crate::spec::{GitSpec, is_commit};

/// The directory that most repositories have their skills in.
const SKILLS: &str = "skills";

/// The other readings, the likeliest first.
pub async fn readings(git: &Git<'_>, spec: &GitSpec) -> Result<Vec<GitSpec>, GitError> {
    let Some(path) = &spec.path else { return Ok(Vec::new()) };
    let longer = match spec.reference.as_ref().filter(|reference| !is_commit(reference)) {
        Some(reference) => longer(git, spec, (reference, path)).await?,
        None => None,
    };
    let below = longer.as_ref().and_then(below_skills);
    Ok([longer, below, below_skills(spec)].into_iter().flatten().collect())
}

/// The same below the directory of skills.
fn below_skills(spec: &GitSpec) -> Option<GitSpec> {
    let path = spec.path.as_ref().filter(|path| *path != SKILLS && !path.starts_with("skills/"))?;
    Some(GitSpec { path: Some(format!("{SKILLS}/{path}")), ..spec.clone() })
}

/// The same with the longest ref that there is at its beginning.
async fn longer(
    git: &Git<'_>,
    spec: &GitSpec,
    (reference, path): (&str, &str),
) -> Result<Option<GitSpec>, GitError> {
    let patterns = [format!("refs/heads/{reference}/*"), format!("refs/tags/{reference}/*")];
    let arguments =
        ["ls-remote", "--quiet", "--", git.url].into_iter().chain(patterns.iter().map(|it| &**it));
    let answer = git.run(git.scratch, &arguments.collect::<Vec<_>>()).await?;
    let text = String::from_utf8_lossy(&succeeded(answer, git)?.stdout).into_owned();
    let whole = format!("{reference}/{path}");
    let names = text.lines().filter_map(|line| {
        let name = line.split_once('\t')?.1;
        name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/"))
    });
    let behind = |name: &str| {
        let rest = whole.strip_prefix(name)?;
        if rest.is_empty() { Some(None) } else { rest.strip_prefix('/').map(|path| Some(path.to_owned())) }
    };
    let found = names.filter_map(|name| Some((name, behind(name)?))).max_by_key(|(name, _)| name.len());
    Ok(found.map(|(name, path)| GitSpec { reference: Some(name.to_owned()), path, ..spec.clone() }))
}
