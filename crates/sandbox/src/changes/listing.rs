//! Lists what a command made of a source: walks what it left, and compares each path with the source.
//!
//! It follows no link, applies nothing and judges no content; the permissions of the source's own directory are not compared, for
//! they are the mount's. The walk treats both forms of a layer alike: a copy is an overlay
//! whose root hides the whole source.

mod links;
mod marks;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::STAGING_PREFIX;
use super::base::{Base, BaseNode, MANIFEST_VERSION, Manifest};
use super::bounds::{Bounds, Budget, ReadError};
use super::change::{Change, Node, Reason, Refused};
use super::file::read_json;
use super::layer::{Form, Layer, LayerError};
use super::sensitive::Sensitive;
use super::tree::{Found, Tree};
use marks::Marks;

/// What a command made of a source, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// What differs and may be applied.
    pub changes: Vec<Change>,
    /// What is never applied, nor is anything beside it.
    pub refused: Vec<Refused>,
}

/// A directory of the layer that is still to be walked.
struct Ahead {
    path: PathBuf,
    /// Whether what the source has there is hidden from the command.
    hides: bool,
}

struct Lister {
    content: Tree,
    form: Form,
    base: Base,
    budget: Budget,
    changes: BTreeMap<PathBuf, Change>,
    refused: BTreeMap<PathBuf, Reason>,
}

impl Listing {
    /// The same, with paths that `sensitive` names marked as such.
    #[must_use]
    pub fn marked(mut self, sensitive: &Sensitive) -> Listing {
        for change in &mut self.changes {
            change.sensitive = sensitive.covers(&change.path);
        }
        self
    }
}

/// Lists what differs between a layer and its source.
pub fn list(layer: &Layer, source: &Path, bounds: Bounds) -> Result<Listing, LayerError> {
    let base = match layer.form() {
        Form::Overlay => {
            let failed = |error| LayerError::Io { path: source.to_owned(), source: error };
            let tree = Tree::open(source).map_err(failed)?;
            Base::Source { tree, made: layer.made()?, budget: bounds.budget() }
        }
        Form::Copy => {
            let failed = |error| LayerError::Record { path: layer.base(), source: error };
            read_json::<Manifest>(&layer.base(), MANIFEST_VERSION).map_err(failed)?.into_base()
        }
    };
    let lister = Lister {
        content: layer.content()?,
        form: layer.form(),
        base,
        budget: bounds.budget(),
        changes: BTreeMap::new(),
        refused: BTreeMap::new(),
    };
    lister.run().map_err(LayerError::Written)
}

impl Lister {
    fn run(mut self) -> Result<Listing, ReadError> {
        let mut ahead = vec![Ahead { path: PathBuf::new(), hides: self.form == Form::Copy }];
        while let Some(directory) = ahead.pop() {
            self.directory(&directory, &mut ahead)?;
        }
        self.refuse_links_out();
        let refused = self.refused.into_iter().map(|(path, reason)| Refused { path, reason }).collect();
        Ok(Listing { changes: self.changes.into_values().collect(), refused })
    }

    fn directory(&mut self, directory: &Ahead, ahead: &mut Vec<Ahead>) -> Result<(), ReadError> {
        let names = match self.content.names(&directory.path, self.budget.entries_left()) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.refuse(&directory.path, Reason::Unreadable);
                return Ok(());
            }
            Err(source) => return Err(ReadError::Io { path: directory.path.clone(), source }),
        };
        for name in &names {
            let path = directory.path.join(name);
            self.budget.entry(&path)?;
            self.entry(path, directory.hides, ahead)?;
        }
        if directory.hides {
            self.hidden(&directory.path, &names.into_iter().collect())?;
        }
        Ok(())
    }

    /// What the source has in a directory that hides it, and the layer has not, was deleted.
    fn hidden(&mut self, directory: &Path, kept: &BTreeSet<OsString>) -> Result<(), ReadError> {
        for name in self.base_names(directory)?.into_iter().filter(|name| !kept.contains(name)) {
            self.deleted(directory.join(name))?;
        }
        Ok(())
    }

    fn entry(&mut self, path: PathBuf, hides: bool, ahead: &mut Vec<Ahead>) -> Result<(), ReadError> {
        let found = self.content.look(&path, &mut self.budget)?;
        if let Found::Node(Node::Link { target }, _) = &found {
            self.budget.text(target)?;
        }
        let marks = self.marks(&path, &found)?;
        if marks.whiteout {
            return self.deleted(path);
        }
        let reason = match found {
            Found::Node(..) if marks.redirected => Reason::Redirected,
            Found::Node(node, stat) => return self.left(path, (node, stat), hides || marks.opaque, ahead),
            Found::Special(kind, _) => Reason::of(kind),
            Found::OtherFileSystem => Reason::OtherFileSystem,
            Found::Nothing | Found::Unreadable => Reason::Unreadable,
        };
        self.refuse(&path, reason);
        Ok(())
    }

    /// Compares a file, directory or link that the command left.
    fn left(
        &mut self,
        path: PathBuf,
        (new, stat): (Node, Stat),
        hides: bool,
        ahead: &mut Vec<Ahead>,
    ) -> Result<(), ReadError> {
        let (base, edited_meanwhile) = match self.base.look(&path)? {
            BaseNode::Nothing => (None, false),
            BaseNode::Node { node, edited_meanwhile } => (Some(node), edited_meanwhile),
            BaseNode::Refused(reason) => {
                self.refuse(&path, reason);
                return Ok(());
            }
        };
        let was_directory = base.as_ref().is_some_and(Node::is_directory);
        if new.is_directory() {
            ahead.push(Ahead { path: path.clone(), hides: hides || !was_directory });
        } else if was_directory {
            self.hidden(&path, &BTreeSet::new())?;
        }
        if !base.as_ref().is_some_and(|base| self.is_same(base, &new)) {
            if let (Node::File { mode, .. }, true) = (&new, stat.st_mode & 0o6000 != 0) {
                self.refuse(&path, Reason::SetId { mode: *mode });
            }
            self.change(Change { path, base, new: Some(new), sensitive: false, edited_meanwhile });
        }
        Ok(())
    }

    fn is_same(&self, base: &Node, new: &Node) -> bool {
        match (base, new) {
            // Set-id bits do not get into a copy, and so are not missing from it.
            (Node::File { mode, size, digest }, Node::File { .. }) if self.form == Form::Copy => {
                *new == Node::File { mode: mode & 0o777, size: *size, digest: *digest }
            }
            _ => base == new,
        }
    }

    /// What the source has at a path that the command deleted, everything below it included.
    fn deleted(&mut self, path: PathBuf) -> Result<(), ReadError> {
        let mut ahead = vec![path];
        while let Some(path) = ahead.pop() {
            self.base.count(&path)?;
            match self.base.look(&path)? {
                BaseNode::Nothing => {}
                BaseNode::Refused(reason) => self.refuse(&path, reason),
                BaseNode::Node { node, edited_meanwhile } => {
                    if node.is_directory() {
                        ahead.extend(self.base_names(&path)?.into_iter().map(|name| path.join(name)));
                    }
                    self.change(Change {
                        path,
                        base: Some(node),
                        new: None,
                        sensitive: false,
                        edited_meanwhile,
                    });
                }
            }
        }
        Ok(())
    }

    fn base_names(&mut self, path: &Path) -> Result<Vec<OsString>, ReadError> {
        match self.base.names(path) {
            Err(ReadError::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
                self.refuse(path, Reason::BaseUnreadable);
                Ok(Vec::new())
            }
            names => names,
        }
    }

    fn marks(&self, path: &Path, found: &Found) -> Result<Marks, ReadError> {
        match self.form {
            Form::Overlay => Marks::read(&self.content, path, found)
                .map_err(|source| ReadError::Io { path: path.to_owned(), source }),
            Form::Copy => Ok(Marks::default()),
        }
    }

    fn change(&mut self, change: Change) {
        let first = change.path.iter().next().map(|name| name.to_string_lossy().into_owned());
        if first.is_some_and(|name| name.starts_with(STAGING_PREFIX)) {
            self.refuse(&change.path, Reason::Reserved);
        }
        self.changes.insert(change.path.clone(), change);
    }

    fn refuse(&mut self, path: &Path, reason: Reason) {
        self.refused.insert(path.to_owned(), reason);
    }

    fn refuse_links_out(&mut self) {
        // Together, the changes and the base are the tree as the command left it.
        let link_at = |path: &Path| match self.changes.get(path) {
            Some(Change { new: Some(Node::Link { target }), .. }) => Some(target.clone()),
            Some(_) => None,
            None => self.base.link(path),
        };
        let leading_out = self.changes.values().filter_map(|change| match &change.new {
            Some(Node::Link { target }) if links::leads_out(&change.path, target, &link_at) => {
                Some((change.path.clone(), Reason::LinkOut { target: target.clone() }))
            }
            _ => None,
        });
        let leading_out: Vec<_> = leading_out.collect();
        self.refused.extend(leading_out);
    }
}
