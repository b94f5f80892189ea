// The console: the signed-in operator, the frame around the pages, and the page that the address names.

import { html, render } from './base/html.js';
import { t, fill, language, time, span, timeZone, ownZone, keepZone } from './base/words.js';
import { get, remove } from './base/api.js';
import { here, to } from './base/route.js';
import { View, paused, pause } from './base/view.js';
import { begin, status, subscribe } from './base/feed.js';
import { session, setSession } from './base/session.js';
import { icon, attempt, trouble, tell, settle, languageButton } from './base/pieces.js';
import { connectDevice, choosePassword, enter, later } from './shared/later.js';
import * as keys from './shared/keys.js';
import './base/search.js';
import './shared/jump.js';

const PAGES = {
  overview: () => import('./pages/overview.js'), live: () => import('./pages/live.js'), refusals: () => import('./pages/refusals.js'),
  devices: ({ parts }) => (parts[1] ? import('./device/device.js') : import('./pages/devices.js')), products: () => import('./pages/products.js'),
  apps: () => import('./pages/apps.js'), users: ({ parts }) => (parts[1] ? import('./pages/user.js') : import('./pages/users.js')),
  messages: () => import('./pages/messages.js'), schedules: () => import('./pages/schedules.js'), deadletters: () => import('./pages/deadletters.js'),
  system: () => import('./pages/system.js'), audit: () => import('./pages/audit.js'),
};
const GROUPS = [
  ['', [['overview', 'overview'], ['live', 'live'], ['refusals', 'refusal']]],
  ['devices', [['devices', 'device'], ['products', 'product'], ['schedules', 'schedule']]],
  ['people', [['users', 'user'], ['apps', 'app'], ['messages', 'message']]],
  ['operation', [['system', 'system'], ['deadletters', 'dead'], ['audit', 'audit']]],
];

let open; // the visible View
let shownPath;
// The route that was requested last. If a page finishes loading after another route was requested, it isn't shown.
let latest;
const scrolls = new Map();

document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
applyTheme(localStorage.getItem('theme'));
render(html`<div id="words" role="status" aria-live="polite"></div><div id="app"></div>`, document.body);
const app = document.getElementById('app');

function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
}

function frame() {
  const { parts } = here();
  render(html`
    <a class="skip" href="#main" onclick=${event => { event.preventDefault(); document.getElementById('main').focus(); }}>${t.skip}</a>
    <header id="bar">
      <button type="button" class="plain menu" popovertarget="side" aria-label="${t.menu}">${icon('menu')}</button>
      <a class="name" href="#/overview"><img src="mark.svg" alt="">Lamplighter</a>
      <span class="room"></span>
      <ll-jump key="jump" class="find"></ll-jump>
      <button type="button" onclick=${() => connectDevice()}>${icon('plus')}<span class="wide">${t.connect.title}</span><span class="hush">${t.connect.title}</span></button>
      ${dot()}
      <button type="button" class="plain" popovertarget="me" aria-label="${fill(t.me.menu, session.operator)}">${icon('user')}<span class="wide">${session.operator}</span></button>
      <div popover id="me" class="drop">${meMenu()}</div>
    </header>
    <div id="shell">
      <nav id="side" popover aria-label="${t.pages}">${GROUPS.map(([group, pages]) => html`
        ${group && html`<h2>${t.groups[group]}</h2>`}
        <ul>${pages.map(([name, sign]) => html`<li><a href="${to([name])}" aria-current=${parts[0] === name ? 'page' : null}>${icon(sign)}${t.nav[name]}</a></li>`)}</ul>`)}
        ${session.docs && html`<h2>${t.groups.more}</h2><ul><li><a href="${session.docs}" target="_blank" rel="noopener">${icon('docs')}${t.nav.docs}</a></li>${session.playground && html`<li><a href="${session.playground}" target="_blank" rel="noopener">${icon('play')}${t.nav.playground}</a></li>`}</ul>`}
        <p class="small soft">${fill(t.me.times, timeZone)}</p></nav>
      <main id="main" tabindex="-1"></main>
    </div>`, app);
}

function meMenu() {
  const theme = localStorage.getItem('theme') ?? '';
  const choose = name => {
    if (name) localStorage.setItem('theme', name); else localStorage.removeItem('theme');
    applyTheme(name);
    frame();
  };
  return html`<p>${session.operator} · ${t.roles[session.role]}</p>
    ${[['', t.me.asSystem], ['light', t.me.light], ['dark', t.me.dark]].map(([name, text]) => html`<button type="button" aria-pressed="${theme === name}" onclick=${() => choose(name)}>${text}</button>`)}
    ${languageButton()}
    ${ownZone !== 'UTC' && html`<button type="button" onclick=${() => keepZone(timeZone === 'UTC' ? ownZone : 'UTC')}>${fill(t.me.zone, timeZone === 'UTC' ? ownZone : 'UTC')}</button>`}
    <button type="button" onclick=${() => keys.showKeys()}>${t.keys.title}</button>
    ${session.way !== 'token' && html`<button type="button" onclick=${() => choosePassword()}>${t.me.password}</button>`}
    <a class="button" href="${to(['audit', 'operators'])}">${t.me.operators}</a>
    <button type="button" onclick=${signOut}>${t.me.signOut}</button>
    <p class="small">${session.version}</p>`;
}

async function signOut() {
  await settle();
  if (await attempt(() => remove(['session']))) leave('left');
}

// The freshness of the page: a dot, and the dot's meaning in words. While the stream is live, the age of the last event
// is shown too.
function dot() {
  const at = paused();
  const age = status.at === null ? null : Date.now() - status.at;
  const [tone, text] = at !== null ? ['warn', fill(t.feed.paused, time(at))]
    : status.state === 'live' && age < 15_000 ? ['good', t.feed.live]
    : status.at === null ? ['off', t.feed.waiting] : ['bad', fill(t.feed.asOf, time(status.at))];
  document.documentElement.classList.toggle('stale', tone === 'bad');
  return html`<button type="button" class="plain nowrap" id="live" title="${t.feed.explain}" aria-pressed="${at !== null}" onclick=${pause}>
    <span class="dot ${tone}"></span><span class="${tone === 'good' ? 'hush' : 'small'}">${text}</span>${tone === 'good' && html`<span class="small soft wide" aria-hidden="true">${span(Math.max(0, Math.floor(age / 1000)) * 1000).replace(/^0 ms$/, '0 s')}</span>`}</button>`;
}

let lastState;
function tick() {
  if (!session || !document.getElementById('live')) return;
  const button = html`${dot()}`;
  const holder = document.getElementById('live');
  // Only the button's content is drawn again.
  render(button.children, holder);
  holder.setAttribute('aria-pressed', paused() !== null);
  if (lastState === 'lost' && status.state === 'live') {
    // Browsers remember that a module couldn't be loaded. Only a reload of the page tries again.
    if (open) open.resume(); else location.reload();
  }
  lastState = status.state;
}

// Changing between the tabs of one object keeps the scroll position and the focus.
const place = parts => parts.slice(0, /^(system|audit)$/.test(parts[0]) ? 1 : 2).join('/');

async function show() {
  if (!session) return;
  const route = latest = here();
  if (!route.parts.length) return void location.replace(to(['overview']));
  const path = route.parts.join('/');
  document.querySelector(':popover-open')?.hidePopover();
  if (shownPath !== undefined) scrolls.set(shownPath, scrollY);
  frame();
  const main = document.getElementById('main');
  const load = PAGES[route.parts[0]];
  open?.close();
  open = undefined;
  let page;
  try {
    page = await later(() => (load ? load(route) : import('./pages/missing.js')));
  } catch (error) {
    console.error(error);
    return render(trouble({ status: 0 }, show), main);
  }
  if (route !== latest) return;
  const isNew = place(shownPath?.split('/') ?? []) !== place(route.parts);
  if (isNew) render('', main);
  const isFirst = shownPath === undefined;
  shownPath = path;
  const view = open = new View(main, route.parts, route.query, page.draw);
  await page.start(view);
  if (open !== view) return;
  view.redraw();
  document.title = `${page.title(view)} – Lamplighter`;
  queueMicrotask(() => {
    // If the operator began to type during loading, focus and scroll position stay unchanged. If the operator only
    // scrolled, the scroll position stays unchanged.
    if (isNew && !document.activeElement?.value && !main.contains(document.activeElement)) {
      if (!scrollY) scrollTo(0, scrolls.get(path) ?? 0);
      if (!isFirst) (main.querySelector('h1') ?? main).focus({ preventScroll: true });
    }
    main.querySelector('.tabs [aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
    main.dataset.page = path;
  });
}

/** Shows the sign-in page in this tab at once. */
function leave(reason) {
  if (session) open?.close();
  open = latest = undefined;
  shownPath = undefined;
  setSession(null);
  document.body.append(document.getElementById('words'));
  document.querySelectorAll('dialog').forEach(dialog => dialog.remove());
  document.documentElement.classList.remove('stale');
  render('', app);
  enter(app, { reason, welcome });
}

function welcome(value) {
  setSession(value);
  render('', app);
  begin();
  show();
  if (!value.hasPassword && value.way === 'link' && localStorage.getItem('passwordLater') !== value.operator) choosePassword(true);
}

addEventListener('hashchange', () => { if (/^#enter=/.test(location.hash)) location.reload(); else show(); });
subscribe([], (kind, data) => {
  if (kind === 'signIn') tell(fill(t.me.signIn, data.address, data.client), { tone: 'bad', link: [t.me.sessions, to(['audit', 'operators'])] });
});
addEventListener('feed', tick);
setInterval(tick, 1000);
addEventListener('signedout', event => { if (session) leave(event.detail ?? 'expired'); });
keys.listen();

async function start() {
  if (/^#enter=/.test(location.hash)) return enter(app, { welcome });
  try {
    return welcome(await get(['session']));
  } catch (problem) {
    return problem.status === 401 ? enter(app, { welcome }) : render(html`<main class="enter">${trouble(problem, () => location.reload())}</main>`, app);
  }
}
start();
