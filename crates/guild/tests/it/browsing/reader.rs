//! A person in front of the page, who has come by the link.

use crate::serve::Served;
use guild_testkit::Browser;
use std::ops::Deref;

/// A browser that has been let in.
pub struct Reader {
    browser: Browser,
    /// The page's own address.
    pub home: String,
}

impl Reader {
    #[track_caller]
    pub fn enter(served: &Served) -> Self {
        let browser = Browser::start();
        browser.go(&served.login);
        browser.await_text("h1", "Approvals");
        let (home, _) = served.login.split_once("/login").unwrap();
        Self { browser, home: home.to_owned() }
    }
}

impl Deref for Reader {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}
