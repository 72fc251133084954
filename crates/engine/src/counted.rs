//! A number with its noun: `1 skill`, `2 skills`.

/// The number and the noun, in the plural unless it is one.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "skill")), ["0 skills", "1 skill", "2 skills"]);
    }
}
