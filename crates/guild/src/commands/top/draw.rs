//! One frame of the view. All text comes here harmless already.

use super::view::{Answer, Pane, View};
use super::{matter, rows};
use crate::print::{Ink, escape};
use guild_engine::counted;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Row, Table};

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, view: &mut View) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(frame.area());
    frame.render_widget(Paragraph::new(title(view)), head);
    if view.opened().is_some() {
        request(frame, view, body);
    } else {
        lists(frame, view, body);
    }
    frame.render_widget(Paragraph::new(footer(view)), foot);
}

fn title(view: &View) -> Line<'static> {
    let top = &view.top;
    let text = format!(
        " {} waiting, {} under way, {}, {}",
        top.waiting.len(),
        top.running.len(),
        counted(top.problem_count, "problem"),
        counted(top.skill_count, "skill"),
    );
    let place = format!(" · {}", escape::exact(&top.workspace));
    Line::from(vec![span(view, Ink::Bold, "guild top".to_owned()), text.into(), span(view, Ink::Dim, place)])
}

/// The three lists, the first as high as it needs to be.
fn lists(frame: &mut Frame<'_>, view: &mut View, area: Rect) {
    let wanted = u16::try_from(view.top.waiting.len()).unwrap_or(u16::MAX).saturating_add(2);
    let waiting = Constraint::Length(wanted.clamp(3, (area.height / 3).max(3)));
    let [first, second, third] =
        Layout::vertical([waiting, Constraint::Fill(2), Constraint::Fill(1)]).areas(area);
    let now = view.now;
    let waiting = view.top.waiting.iter().map(|line| rows::waiting(line, now)).collect();
    let runs = rows::runs(&view.top, |at| rows::ago(at, now));
    let problems = view.top.problems.iter().map(rows::problem).collect();
    let fill = Constraint::Fill;
    table(
        frame,
        view,
        first,
        List {
            pane: Pane::Waiting,
            title: "Waiting for you",
            rows: waiting,
            widths: [Constraint::Length(7), fill(1), Constraint::Length(10), fill(3)],
        },
    );
    table(
        frame,
        view,
        second,
        List {
            pane: Pane::Runs,
            title: "Runs",
            rows: runs,
            widths: [Constraint::Length(7), fill(2), fill(1), Constraint::Length(12), fill(2)],
        },
    );
    table(
        frame,
        view,
        third,
        List {
            pane: Pane::Problems,
            title: "Problems",
            rows: problems,
            widths: [Constraint::Length(7), Constraint::Length(22), fill(2), fill(2)],
        },
    );
}

/// A list as it is to be drawn.
struct List<const N: usize> {
    pane: Pane,
    title: &'static str,
    rows: Vec<rows::Row<N>>,
    widths: [Constraint; N],
}

fn table<const N: usize>(frame: &mut Frame<'_>, view: &mut View, area: Rect, list: List<N>) {
    let is_here = view.pane == list.pane;
    let title = format!(" {} ({}) ", list.title, view.count(list.pane));
    let block =
        Block::bordered().title(title).border_style(style(view, if is_here { Ink::Cyan } else { Ink::Dim }));
    if list.rows.is_empty() {
        let nothing = Paragraph::new(span(view, Ink::Dim, "nothing".to_owned())).block(block);
        return frame.render_widget(nothing, area);
    }
    let cells = |row: rows::Row<N>| Row::new(row.map(|(ink, text)| span(view, ink, text)));
    let rows: Vec<Row<'_>> = list.rows.into_iter().map(cells).collect();
    let mut table = Table::new(rows, list.widths).block(block);
    if is_here {
        table = table.row_highlight_style(Modifier::REVERSED).highlight_symbol("> ");
    }
    frame.render_stateful_widget(table, area, view.rows.of(list.pane));
}

/// The request that is open, from the row on that the person has come to.
fn request(frame: &mut Frame<'_>, view: &mut View, area: Rect) {
    let Some(line) = view.opened() else { return };
    let (width, height) =
        (usize::from(area.width.saturating_sub(2)), usize::from(area.height.saturating_sub(2)));
    let lines = matter::lines(line)
        .into_iter()
        .flat_map(|(ink, text)| matter::wrapped(&text, width).into_iter().map(move |text| (ink, text)));
    let lines: Vec<Line<'_>> = lines.map(|(ink, text)| Line::from(span(view, ink, text))).collect();
    let (count, most) = (lines.len(), lines.len().saturating_sub(height));
    let scroll = view.open.as_ref().map_or(0, |open| open.scroll).min(most);
    let seen = format!(" rows {} to {} of {count} ", scroll + 1, (scroll + height).min(count));
    let block = Block::bordered().title(" Request ").title_bottom(seen).border_style(style(view, Ink::Cyan));
    let shown: Vec<Line<'_>> = lines.into_iter().skip(scroll).take(height).collect();
    frame.render_widget(Paragraph::new(shown).block(block), area);
    if let Some(open) = &mut view.open {
        (open.scroll, open.most, open.page) = (scroll, most, height);
    }
}

/// What has happened, what is to be confirmed, or which keys there are.
fn footer(view: &View) -> Line<'static> {
    if let Some((is_good, message)) = &view.told {
        return Line::from(span(view, if *is_good { Ink::Green } else { Ink::Red }, message.clone()));
    }
    let Some(line) = view.opened() else {
        return Line::from(span(view, Ink::Dim, "↑↓ move  Tab next list  Enter open  q end".to_owned()));
    };
    let offered = Answer::offered(line);
    let chosen = view.open.as_ref().and_then(|open| open.chosen);
    if let Some((_, _, word)) = offered.iter().find(|(_, answer, _)| Some(*answer) == chosen) {
        let (skill, agent) = (escape::line(&line.request.skill), escape::line(&line.request.agent));
        let text = format!("{word}: {skill} for {agent}? Enter does it, any other key does not");
        return Line::from(span(view, Ink::Yellow, text));
    }
    let keys: String = offered.iter().map(|(key, _, word)| format!("{key} {word}  ")).collect();
    Line::from(span(view, Ink::Dim, format!("{keys}↑↓ PgUp PgDn read  Esc back")))
}

fn span(view: &View, ink: Ink, text: String) -> Span<'static> {
    Span::styled(text, style(view, ink))
}

fn style(view: &View, ink: Ink) -> Style {
    let style = match ink {
        Ink::Plain => Style::new(),
        Ink::Bold => return Style::new().add_modifier(Modifier::BOLD),
        Ink::Dim => return Style::new().add_modifier(Modifier::DIM),
        Ink::Green => Style::new().fg(Color::Green),
        Ink::Yellow => Style::new().fg(Color::Yellow),
        Ink::Red => Style::new().fg(Color::Red),
        Ink::Cyan => Style::new().fg(Color::Cyan),
    };
    if view.colour { style } else { Style::new() }
}

#[cfg(test)]
mod tests;
