//! Search: which skills a query means, best first.
//!
//! Two rankings in one. The floor is where the query itself stands, as a piece of text: a document whose name
//! holds it never falls below one that has it only in its description. Above that floor, and for everything
//! the floor cannot tell apart, fielded BM25 decides, with folded suffixes, prefixes and misspellings. Nothing
//! here reads a file or knows what a skill is; who may see a document is the caller's business. [`rank`] reads every text, and an
//! [`Index`] gives the same without.

mod field;
mod inverted;
mod literal;
mod query;
mod stem;
mod tally;
#[cfg(test)]
mod tests;
mod weight;
mod words;

pub use inverted::{Index, Selection};
use literal::{Literal, Place};
use query::Query;
use tally::Tallies;
use weight::Weights;

/// What is searched of one skill. Empty text means that there is none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// The bare name.
    pub name: &'a str,
    /// The name with its plugin, or the bare name again.
    pub qualified_name: &'a str,
    /// What the skill says it does.
    pub description: &'a str,
    /// When the skill says it applies.
    pub when_to_use: &'a str,
    /// The instructions.
    pub body: &'a str,
}

/// One document that answers the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its place in the searched slice.
    pub index: usize,
    /// Finite and above zero; hits come in falling order of it. The whole part says where the query was found:
    /// 4 is the name, 3 in the name, 2 every word in the name, 1 in the description, 0 elsewhere or in part.
    pub score: f64,
}

/// The `limit` best documents for `query`; ties are ordered by qualified name, then by place.
///
/// A blank query finds nothing. The work is linear in the text: a body costs one pass and no allocation.
pub fn rank(documents: &[Document<'_>], query: &str, limit: usize) -> Vec<Hit> {
    let literal = Literal::new(query);
    if literal.is_blank() || limit == 0 {
        return Vec::new();
    }
    let places = literal.places(documents);
    let tallies = Tallies::count(documents, &Query::new(query));
    let name = |index: usize| documents.get(index).map(|document| document.qualified_name);
    ordered(&places, &tallies, limit, name)
}

/// The best hits, by where the query stands and what was counted.
fn ordered<'n>(
    places: &[Place],
    tallies: &Tallies,
    limit: usize,
    qualified_name: impl Fn(usize) -> Option<&'n str>,
) -> Vec<Hit> {
    let weights = Weights::new(places, tallies);
    let mut hits: Vec<Hit> = places
        .iter()
        .enumerate()
        .filter_map(|(index, place)| {
            let score = weights.score(*place, tallies.of(index))?;
            Some(Hit { index, score })
        })
        .collect();
    let by_name = |a: &Hit, b: &Hit| qualified_name(a.index).cmp(&qualified_name(b.index));
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| by_name(a, b)));
    hits.truncate(limit);
    hits
}
