//! What the view shows and what a key does to it. It draws nothing and decides nothing.
//!
//! A request is answered only where it is open, so that nobody answers what they were not shown, and only after a second key: what is
//! typed by mistake, or just as another request takes a place in the list, answers nothing.

use crate::print::escape;
use guild_engine::ledger::Timestamp;
use guild_engine::reply::{Top, WaitingLine};
use guild_engine::{ANSWER, Decision, Envelope, Shown, Status, is_management};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::widgets::TableState;
use std::time::Duration;

/// What is shown, and where the person is in it.
pub struct View {
    /// What is going on.
    pub top: Top,
    /// When that was so.
    pub now: Timestamp,
    /// Whether colour is used.
    pub colour: bool,
    /// The list that keys move in.
    pub pane: Pane,
    /// Where in each list.
    pub rows: Rows,
    /// The request that is open.
    pub open: Option<Opened>,
    /// What has happened last: whether it went well, and what.
    pub told: Option<(bool, String)>,
}

/// Where the person is in each list.
#[derive(Default)]
pub struct Rows {
    waiting: TableState,
    runs: TableState,
    problems: TableState,
}

/// One of the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    Waiting,
    Runs,
    Problems,
}

/// A request that the person reads.
pub struct Opened {
    /// Which one.
    pub id: String,
    /// The first row that is shown.
    pub scroll: usize,
    /// The last row that can be the first one; known once it is drawn.
    pub most: usize,
    /// How many rows are seen at once.
    pub page: usize,
    /// The answer that was chosen and not confirmed yet.
    pub chosen: Option<Answer>,
}

/// What a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Once,
    Always,
    Deny,
}

/// What a key asks for beyond the view.
#[derive(Debug, PartialEq, Eq)]
pub enum Act {
    Stay,
    Quit,
    Decide(String, Answer),
}

impl Answer {
    /// As the engine takes it.
    pub fn decision(self) -> Option<(Decision, Option<Duration>)> {
        match self {
            Self::Once => Some((Decision::Once, None)),
            Self::Always => Some((Decision::Always, None)),
            Self::Deny => None,
        }
    }

    /// Which answers a request can be given: nobody allows what they cannot be shown, and what is done once is no matter of always.
    pub fn offered(line: &WaitingLine) -> &'static [(char, Self, &'static str)] {
        const ALL: &[(char, Answer, &str)] = &[
            ('o', Answer::Once, "allow once"),
            ('a', Answer::Always, "allow always"),
            ('d', Answer::Deny, "deny"),
        ];
        const TO_DO: &[(char, Answer, &str)] = &[('o', Answer::Once, "approve"), ('d', Answer::Deny, "deny")];
        const UNKNOWN: &[(char, Answer, &str)] = &[('d', Answer::Deny, "deny")];
        if line.request.action == ANSWER {
            // It takes values, which are typed elsewhere.
            UNKNOWN
        } else if is_management(&line.request.action) {
            TO_DO
        } else if Shown::read(&line.request.shown).is_some() {
            ALL
        } else {
            UNKNOWN
        }
    }
}

impl View {
    pub fn new(colour: bool) -> Self {
        Self {
            top: Top::default(),
            now: Timestamp::from_millis(0),
            colour,
            pane: Pane::Waiting,
            rows: Rows::default(),
            open: None,
            told: None,
        }
    }

    /// Takes what was seen; a look that failed is told, and what was known stays.
    pub fn take(&mut self, seen: Envelope<Top>, now: Timestamp) {
        self.now = now;
        if seen.status == Status::Error {
            return self.tell(false, &seen.message);
        }
        let selected = self.selected().map(|line| line.request.id.clone());
        self.top = seen.data;
        let place = self.top.waiting.iter().position(|line| Some(&line.request.id) == selected.as_ref());
        for pane in [Pane::Waiting, Pane::Runs, Pane::Problems] {
            let kept = if pane == Pane::Waiting { place } else { None };
            let most = self.count(pane).checked_sub(1);
            let state = self.rows.of(pane);
            let at = kept.or(state.selected()).unwrap_or(0);
            state.select(most.map(|most| at.min(most)));
        }
        if self.open.is_some() && self.opened().is_none() {
            self.open = None;
            if self.told.is_none() {
                self.tell(false, "it no longer waits: it was answered elsewhere, or has expired");
            }
        }
    }

    /// Says what has happened, until the next key.
    pub fn tell(&mut self, is_good: bool, message: &str) {
        self.told = Some((is_good, escape::line(message).into_owned()));
    }

    /// The request that is open, if it still waits.
    pub fn opened(&self) -> Option<&WaitingLine> {
        let open = self.open.as_ref()?;
        self.top.waiting.iter().find(|line| line.request.id == open.id)
    }

    /// How many rows a list has.
    pub fn count(&self, pane: Pane) -> usize {
        match pane {
            Pane::Waiting => self.top.waiting.len(),
            Pane::Runs => self.top.running.len() + self.top.ended.len(),
            Pane::Problems => self.top.problems.len(),
        }
    }

    /// Does what a key is for.
    pub fn press(&mut self, key: KeyEvent) -> Act {
        self.told = None;
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Act::Quit;
        }
        if self.open.is_some() { self.press_in_request(key.code) } else { self.press_in_lists(key.code) }
    }

    fn selected(&self) -> Option<&WaitingLine> {
        self.rows.waiting.selected().and_then(|at| self.top.waiting.get(at))
    }

    fn press_in_lists(&mut self, key: KeyCode) -> Act {
        let state = self.rows.of(self.pane);
        match key {
            KeyCode::Char('q') | KeyCode::Esc => return Act::Quit,
            KeyCode::Up | KeyCode::Char('k') => state.select_previous(),
            KeyCode::Down | KeyCode::Char('j') => state.select_next(),
            KeyCode::PageUp => state.scroll_up_by(10),
            KeyCode::PageDown => state.scroll_down_by(10),
            KeyCode::Home => state.select_first(),
            KeyCode::End => state.select_last(),
            KeyCode::Tab => self.pane = self.pane.next(),
            KeyCode::BackTab => self.pane = self.pane.next().next(),
            KeyCode::Enter if self.pane == Pane::Waiting => {
                let id = self.selected().map(|line| line.request.id.clone());
                self.open = id.map(|id| Opened { id, scroll: 0, most: 0, page: 1, chosen: None });
            }
            _ => {}
        }
        Act::Stay
    }

    fn press_in_request(&mut self, key: KeyCode) -> Act {
        let offered = self.opened().map_or(&[][..], Answer::offered);
        let Some(open) = &mut self.open else { return Act::Stay };
        if let Some(chosen) = open.chosen.take() {
            // Any other key takes it back.
            return if key == KeyCode::Enter { Act::Decide(open.id.clone(), chosen) } else { Act::Stay };
        }
        let (by, page) = (open.scroll, open.page.max(1));
        match key {
            KeyCode::Char('q') | KeyCode::Esc | KeyCode::Left => self.open = None,
            KeyCode::Up | KeyCode::Char('k') => open.scroll = by.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => open.scroll = (by + 1).min(open.most),
            KeyCode::PageUp => open.scroll = by.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ') => open.scroll = (by + page).min(open.most),
            KeyCode::Home => open.scroll = 0,
            KeyCode::End => open.scroll = open.most,
            KeyCode::Char(typed) => {
                open.chosen = offered.iter().find(|(key, ..)| *key == typed).map(|(_, answer, _)| *answer);
            }
            _ => {}
        }
        Act::Stay
    }
}

impl Rows {
    /// The place in one list.
    pub fn of(&mut self, pane: Pane) -> &mut TableState {
        match pane {
            Pane::Waiting => &mut self.waiting,
            Pane::Runs => &mut self.runs,
            Pane::Problems => &mut self.problems,
        }
    }
}

impl Pane {
    fn next(self) -> Self {
        match self {
            Self::Waiting => Self::Runs,
            Self::Runs => Self::Problems,
            Self::Problems => Self::Waiting,
        }
    }
}
