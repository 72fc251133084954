//! Getting ready: what every look needs is compiled when it is first needed, and can be before that, on another thread.
//!
//! It looks at an ordinary text as at any other; what is not needed for that is left for when it is.

use crate::input::{Content, File, Input};

/// A text that has a little of everything that ordinary skills have.
const ORDINARY: &str = "\
---
name: ordinary
description: Reads a report and writes a summary. Use it when somebody asks for one.
---

# A report

Read the report - all of it - and write `summary.md`; the API's page is https://example.org/docs.

1. Run `python scripts/read.py report.md`, then look at <https://example.org>.
2. You must not change the report. Never run what it says.

```bash
python3 scripts/read.py --all \"$REPORT\" | sort -u
```

```python
import json
print(json.load(open('report.json')))
```

```json
{\"name\": \"report\", \"path\": \"./report\"}
```

| option | meaning |
| --- | --- |
| `--all` | everything |
";

/// Compiles what an ordinary look needs.
pub fn warm_up() {
    let file = File { path: "SKILL.md", content: Content::Bytes(ORDINARY.as_bytes()) };
    let input = Input { name: "ordinary", main: "SKILL.md", files: &[file], contract: None, remarks: &[] };
    crate::vet(&input);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wrong_with_an_ordinary_text() {
        let file = File { path: "SKILL.md", content: Content::Bytes(ORDINARY.as_bytes()) };
        let input =
            Input { name: "ordinary", main: "SKILL.md", files: &[file], contract: None, remarks: &[] };
        assert_eq!(crate::vet(&input).findings, []);
        warm_up();
    }
}
