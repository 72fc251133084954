//! `${NAME}` in what a plugin says of its server: one pass over the text, and what was put in is not read again.

/// The text with what `value` gives for each name; a name that it gives nothing for stays as it is written.
pub(super) fn replaced(text: &str, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("${") {
        made.push_str(before);
        let Some((name, behind)) = behind.split_once('}') else {
            made.push_str("${");
            rest = behind;
            break;
        };
        match value(name) {
            Some(value) => made.push_str(&value),
            None => {
                made.push_str("${");
                made.push_str(name);
                made.push('}');
            }
        }
        rest = behind;
    }
    made.push_str(rest);
    made
}

/// The names that a text mentions.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    replaced(text, |name| {
        names.push(name.to_owned());
        None
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let value = |name: &str| match name {
            "PLUGIN_ROOT" => Some("/plugin".to_owned()),
            "A" => Some("${PLUGIN_ROOT}".to_owned()),
            _ => None,
        };
        assert_eq!(replaced(text, value), expected);
    }

    #[test]
    fn known_names_are_replaced_once_and_all_else_stays() {
        check("${PLUGIN_ROOT}/a:${PLUGIN_ROOT}", "/plugin/a:/plugin");
        check("${A}", "${PLUGIN_ROOT}");
        check("$PLUGIN_ROOT ${HOME} $${PLUGIN_ROOT}", "$PLUGIN_ROOT ${HOME} $/plugin");
        check("${PLUGIN_ROOT", "${PLUGIN_ROOT");
        check("", "");
        assert_eq!(names("${A} ${B:-c} $D ${"), ["A", "B:-c"]);
    }
}
