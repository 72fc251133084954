//! A table of cells: columns as wide as their widest cell, the last one cut to the terminal.
//!
//! On a narrow terminal the first column is narrower than its longest names, which then reach beyond it: nothing that a person
//! has to copy is cut, and the others keep room for what they are about.

use super::{Ink, Style, escape};
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;

const GAP: usize = 2;
/// What the last column should have on a narrow terminal, and the least that the first one is made for it.
const LAST: usize = 40;
const FIRST: usize = 20;

/// One cell: text made harmless, and its ink.
pub struct Cell<'a> {
    text: Cow<'a, str>,
    ink: Ink,
}

impl<'a> Cell<'a> {
    /// A cell in an ink.
    pub fn new(ink: Ink, text: &'a str) -> Self {
        Self { text: escape::line(text), ink }
    }

    /// A cell with a path, whose blanks are kept.
    pub fn path(ink: Ink, path: &str) -> Self {
        Self { text: Cow::Owned(escape::exact(path)), ink }
    }

    /// A plain cell.
    pub fn plain(text: &'a str) -> Self {
        Self::new(Ink::Plain, text)
    }
}

/// Prints rows of cells under a heading.
pub fn table<const N: usize>(
    heading: [&str; N],
    rows: &[[Cell<'_>; N]],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut widths = heading.map(str::width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.text.width());
        }
    }
    narrow(&mut widths, style);
    let heading = heading.map(|text| Cell::new(Ink::Dim, text));
    for row in std::iter::once(&heading).chain(rows) {
        print_row(row, &widths, style, out)?;
    }
    Ok(())
}

/// Takes from the first column what the last one lacks.
fn narrow(widths: &mut [usize], style: &Style) {
    let [first, between @ .., _] = widths else { return };
    let Some(total) = style.width else { return };
    let others: usize = between.iter().map(|width| width + GAP).sum();
    let room = total.saturating_sub(others + GAP + LAST).max(FIRST);
    *first = (*first).min(room);
}

fn print_row<const N: usize>(
    row: &[Cell<'_>; N],
    widths: &[usize; N],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    let mut column = 0;
    for (index, (cell, width)) in row.iter().zip(widths).enumerate() {
        if index + 1 == N {
            let room = style.width.map(|total| total.saturating_sub(column).max(8));
            let text = room.map_or(Cow::Borrowed(cell.text.as_ref()), |room| cut(&cell.text, room));
            line.push_str(&style.ink(cell.ink, &text).to_string());
        } else {
            let padding = " ".repeat(width.saturating_sub(cell.text.width()) + GAP);
            line.push_str(&format!("{}{padding}", style.ink(cell.ink, &cell.text)));
            column += cell.text.width().max(*width) + GAP;
        }
    }
    writeln!(out, "{}", line.trim_end())
}

/// The text, or as much of it as fits with an ellipsis.
fn cut(text: &str, room: usize) -> Cow<'_, str> {
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) + 1 > room {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(width: Option<usize>, expect: &Expect) {
        let rows = [["a", "短い", "a long description that goes on"], ["longer", "b", ""]];
        let rows = rows.map(|row| row.map(Cell::plain));
        let mut out = Vec::new();
        table(["NAME", "KIND", "DESCRIPTION"], &rows, &Style { colour: false, width }, &mut out).unwrap();
        expect.assert_eq(&String::from_utf8(out).unwrap());
    }

    #[test]
    fn columns_line_up_by_width_and_no_line_ends_in_blanks() {
        check(
            None,
            &expect![[r#"
            NAME    KIND  DESCRIPTION
            a       短い  a long description that goes on
            longer  b
        "#]],
        );
    }

    #[test]
    fn one_long_name_does_not_take_the_room_of_every_description() {
        let rows = [
            ["short", "inline", "What the skill does, in a sentence that is rather long"],
            ["a-plugin/whose-skill-has-a-long-name", "inline", "What that one does, in a sentence too"],
        ];
        let rows = rows.map(|row| row.map(Cell::plain));
        let mut out = Vec::new();
        table(["NAME", "KIND", "DESCRIPTION"], &rows, &Style { colour: false, width: Some(70) }, &mut out)
            .unwrap();
        expect![[r#"
            NAME                  KIND    DESCRIPTION
            short                 inline  What the skill does, in a sentence that…
            a-plugin/whose-skill-has-a-long-name  inline  What that one does, in …
        "#]]
        .assert_eq(&String::from_utf8(out).unwrap());
    }

    #[test]
    fn the_last_column_is_cut_to_the_terminal() {
        check(
            Some(30),
            &expect![[r#"
            NAME    KIND  DESCRIPTION
            a       短い  a long descript…
            longer  b
        "#]],
        );
        check(
            Some(1),
            &expect![[r#"
            NAME    KIND  DESCRIP…
            a       短い  a long …
            longer  b
        "#]],
        );
    }
}
