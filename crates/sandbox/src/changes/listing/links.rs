//! Whether a link leads out of a tree, by itself or through other links of that tree.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

/// How many links the kernel follows on one path.
const HOPS: usize = 40;

/// Whether the link at `path` that says `target` leads out of the tree. `link_at` says what the link at a path of the tree says,
/// if there is one. A link that leads nowhere, or in a circle, stays inside.
pub fn leads_out(path: &Path, target: &Path, link_at: &dyn Fn(&Path) -> Option<PathBuf>) -> bool {
    let mut here = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut ahead: VecDeque<PathBuf> = VecDeque::new();
    let mut hops = 0;
    prepend(&mut ahead, target);
    while let Some(step) = ahead.pop_front() {
        match step.components().next() {
            Some(Component::ParentDir) if !here.pop() => return true,
            Some(Component::RootDir | Component::Prefix(_)) => return true,
            Some(Component::Normal(name)) => here.push(name),
            Some(Component::ParentDir | Component::CurDir) | None => continue,
        }
        if let Some(next) = link_at(&here) {
            hops += 1;
            if hops > HOPS {
                return false;
            }
            here.pop();
            prepend(&mut ahead, &next);
        }
    }
    false
}

fn prepend(ahead: &mut VecDeque<PathBuf>, target: &Path) {
    for component in target.components().rev() {
        ahead.push_front(PathBuf::from(component.as_os_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links are written `path -> target`; the first one is asked about.
    #[track_caller]
    fn check(links: &[&str], expected: bool) {
        let links: Vec<(&Path, &Path)> = links
            .iter()
            .map(|link| link.split_once(" -> ").unwrap())
            .map(|(path, target)| (Path::new(path), Path::new(target)))
            .collect();
        let link_at = |path: &Path| links.iter().find(|link| link.0 == path).map(|link| link.1.to_owned());
        let (path, target) = links[0];
        assert_eq!(leads_out(path, target, &link_at), expected, "{links:?}");
    }

    #[test]
    fn a_link_beside_or_below_stays_inside() {
        check(&["a -> b"], false);
        check(&["a -> ./b/c/../d"], false);
        check(&["x/a -> ../b"], false);
        check(&["x/a -> .."], false);
    }

    #[test]
    fn an_absolute_or_climbing_link_leads_out() {
        check(&["a -> /etc/passwd"], true);
        check(&["a -> /"], true);
        check(&["a -> .."], true);
        check(&["x/a -> ../../b"], true);
        check(&["a -> b/../../x"], true);
    }

    #[test]
    fn a_link_leads_out_through_another() {
        check(&["a -> b/c", "b -> /etc"], true);
        check(&["a -> b", "b -> c", "c -> ../x"], true);
    }

    #[test]
    fn a_climb_counts_from_where_a_link_has_led() {
        check(&["d/x -> a/../../f", "d/a -> .."], true);
        check(&["d/x -> a/../../f", "d/a -> e/e"], false);
    }

    #[test]
    fn a_circle_stays_inside() {
        check(&["a -> b", "b -> a"], false);
        check(&["a -> a/a/a"], false);
    }
}
