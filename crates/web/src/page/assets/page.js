// The page works without this. With it, what happens appears by itself, searching follows the typing, and times are local.
'use strict';

const view = document.getElementById('view');
const title = document.title;
// What the server said of each part that is shown.
const said = new WeakMap();
for (const part of document.querySelectorAll('[data-live], #results')) said.set(part, part.innerHTML);

// Replaces a part of the page by what the server says now, with focus and open details as they were.
async function renew(url, selector, signal) {
  const answer = await fetch(url, { headers: { 'x-piece': '1' }, credentials: 'same-origin', signal });
  if (answer.status === 401) return note('Your session has ended. Run guild login for another link.');
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector(selector);
  const old = document.querySelector(selector);
  if (!fresh || !old || fresh.innerHTML === said.get(old)) return;
  const focused = document.activeElement && old.contains(document.activeElement) ? document.activeElement.id : '';
  const key = (details) => (details.closest('[id]')?.id ?? '') + (details.querySelector('summary')?.textContent ?? '');
  const states = new Map([...old.querySelectorAll('details')].map((details) => [key(details), details.open]));
  const shown = fresh.innerHTML;
  const pointed = requestUnderPointer();
  for (const details of fresh.querySelectorAll('details')) {
    if (states.has(key(details))) details.open = states.get(key(details));
  }
  old.replaceChildren(...fresh.childNodes);
  said.set(old, shown);
  if (focused) document.getElementById(focused)?.focus();
  slid ||= requestUnderPointer() !== pointed;
  renewed = performance.now();
  tellTimes();
}

// Where the pointer rests, and whether another request has slid under it since: a click that was meant for the one before answers nothing.
let pointer = null;
let slid = false;
let renewed = 0;

function requestUnderPointer() {
  return pointer && (document.elementFromPoint(pointer.x, pointer.y)?.closest('.request')?.id ?? null);
}

function heedPointer() {
  document.addEventListener('pointermove', (event) => {
    pointer = { x: event.clientX, y: event.clientY };
    slid = false;
  });
  document.addEventListener('pointerdown', (event) => {
    // A finger rests nowhere before it comes down, and takes a while to.
    if (event.pointerType === 'touch') slid = performance.now() - renewed < 500;
  });
  document.addEventListener('click', (event) => {
    // A key that presses a button counts no clicks, and its focus has not moved to another request.
    if (!slid || event.detail === 0 || !event.target.closest('.request')) return;
    event.preventDefault();
    note('The page has just changed under your pointer. Look again before you answer.', 8000);
  }, true);
}

// Tells something beside the page, for good or for so many milliseconds.
function note(text, lasts) {
  if (document.querySelector('.note')) return;
  const told = document.createElement('p');
  told.className = 'note';
  told.setAttribute('role', 'alert');
  told.textContent = text;
  document.body.append(told);
  if (lasts) setTimeout(() => told.remove(), lasts);
}

// Somebody who is writing in a part of the page is not disturbed.
function isBusy(part) {
  const active = document.activeElement;
  return part.contains(active) && active.matches('input:not([type=hidden]), textarea, select');
}

function follow() {
  const events = new EventSource('/live');
  events.addEventListener('changed', (event) => {
    const count = Number(event.data);
    const badge = document.getElementById('waiting');
    if (badge) {
      badge.textContent = String(count);
      badge.hidden = count === 0;
    }
    document.title = count > 0 ? `(${count}) ${title}` : title;
    const part = document.querySelector('[data-live]');
    if (part && !isBusy(part)) renew(location.href, '[data-live]').catch(() => {});
  });
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) note('The server is gone, or your session has ended.');
  });
}

function tellTimes() {
  const now = Date.now();
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    const seconds = Math.round((at - now) / 1000);
    const [unit, size] = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
    time.textContent = relative.format(Math.trunc(seconds / size), unit);
    time.title = new Date(at).toLocaleString();
  }
}

function followTyping() {
  const form = document.querySelector('form[data-search]');
  const input = form?.querySelector('input');
  if (!input) return;
  let timer;
  let asking;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      asking?.abort();
      asking = new AbortController();
      const url = input.value.trim() ? `${form.action}?q=${encodeURIComponent(input.value)}` : form.action;
      history.replaceState(null, '', url);
      renew(url, '#results', asking.signal).catch(() => {});
    }, 180);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !event.target.matches('input, textarea')) {
      event.preventDefault();
      input.focus();
    }
  });
}

// A run that goes on is shown as it goes.
function followRun() {
  const job = document.querySelector('[data-job]');
  if (!job) return;
  const events = new EventSource(job.dataset.job);
  let timer;
  const show = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      renew(location.href, '[data-live]').catch(() => {});
    }, 150);
  };
  for (const name of ['waits', 'runs', 'output', 'overflow']) events.addEventListener(name, show);
  events.addEventListener('ended', () => {
    events.close();
    show();
  });
}

// What is wrong with a text is told while it is written.
function followWriting() {
  const editor = document.querySelector('[data-check]');
  const form = editor?.closest('form');
  if (!form) return;
  let timer;
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const body = new URLSearchParams(new FormData(form));
      const headers = { 'x-piece': '1' };
      const answer = await fetch(editor.dataset.check, { method: 'POST', headers, body }).catch(() => null);
      if (!answer?.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#diagnostics');
      if (fresh) document.getElementById('diagnostics').replaceWith(fresh);
    }, 250);
  });
}

if (view) {
  followWriting();
  followRun();
  tellTimes();
  setInterval(tellTimes, 20000);
  followTyping();
  heedPointer();
  follow();
}
