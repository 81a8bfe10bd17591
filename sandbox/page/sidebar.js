import { html, nothing } from './vendor/lit-html/lit-html.js';
import { askSlackbot, resetSandbox, switchLinkPresses } from './actions.js';
import { avatar } from './avatar.js';
import { icon } from './icon.js';
import { menu } from './menu.js';
import { currentChannel, hasApp, userById } from './page.js';

/**
 * The workspace, its channels and direct messages, and the current person.
 * @param {import('./page.js').Page} page
 */
export function sidebar(page) {
  const { snapshot } = page;
  const ofKind = (kind) => snapshot.channels.filter((channel) => channel.kind === kind);
  return html`<div class="sidebar">
    <header class="workspace">${workspaceSwitcher(page)}</header>
    <nav aria-label="Channels and direct messages">
      <h2>Channels</h2>
      <ul>
        ${ofKind('channel').map((channel) => entry(page, channel, icon('hash')))}
      </ul>
      <h2>Direct messages</h2>
      <ul>
        ${ofKind('dm').map((channel) => entry(page, channel, avatar(otherPerson(snapshot, channel))))}
        ${hasApp(snapshot) ? nothing : html`<li>${installLink(page)}</li>`}
      </ul>
    </nav>
    <div class="me">${userSwitcher(page)}</div>
  </div>`;
}

/** @param {import('./page.js').Page} page */
function workspaceSwitcher({ snapshot }) {
  const { workspace, installing, me } = snapshot;
  const name = html`<span class="workspace-name">${workspace}</span>`;
  if (installing === undefined) return name;
  const items = installing.others.map((other) => ({
    label: `Switch to ${other.name}`,
    url: `${other.url}/?as=${encodeURIComponent(me)}${location.hash}`,
    sameTab: true,
  }));
  const label = `Workspace: ${workspace}`;
  const face = html`${name}${icon('chevron')}`;
  return menu({ id: 'workspace-menu', label, face, className: 'workspace-button', items });
}

/** @param {import('./page.js').Page} page */
function installLink({ snapshot: { installing, me } }) {
  // Cookies know no ports: the page on which somebody agrees sees who they are, and in which workspace.
  const signIn = () => {
    document.cookie = `signed-in=${installing.team}.${me}; path=/oauth; samesite=lax`;
  };
  return html`<a
    class="entry"
    href=${installing.url}
    target="_blank"
    rel="noopener noreferrer"
    @click=${signIn}
    >${icon('plus')}<span class="entry-name">Install Co-browse</span></a
  >`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {import('../slack/page-api.ts').PageChannel} channel */
function otherPerson(snapshot, channel) {
  return snapshot.users.find(({ name }) => name === channel.name) ?? userById(snapshot, channel.id);
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel @param {unknown} mark */
function entry(page, channel, mark) {
  const isOpen = currentChannel(page)?.id === channel.id;
  const seen = page.seen.get(channel.id) ?? '';
  const unread = !isOpen && page.snapshot.messages.some((one) => one.channel === channel.id && one.ts > seen);
  return html`<li>
    <a
      class="entry ${unread ? 'unread' : ''}"
      href="#${channel.id}"
      aria-current=${isOpen ? 'page' : 'false'}
    >
      ${mark}<span class="entry-name">${channel.name}</span>${
        unread ? html`<span class="visually-hidden">(unread)</span>` : nothing
      }
    </a>
  </li>`;
}

/** @param {import('./page.js').Page} page */
function userSwitcher(page) {
  const { snapshot } = page;
  const me = userById(snapshot, snapshot.me);
  const others = snapshot.users.filter((user) => !user.is_bot && !user.deactivated && user.id !== me.id);
  const label = `You are ${me.name}`;
  const items = others.map((user) => ({
    label: `Switch to ${user.name}`,
    note: user.organization && `From ${user.organization}`,
    url: `/?as=${encodeURIComponent(user.id)}${location.hash}`,
    sameTab: true,
  }));
  items.push({
    label: snapshot.loses_link_presses
      ? 'Stop simulating a phone that loses presses'
      : 'Simulate a phone that loses presses',
    note: 'Some phones open a button’s link without telling the app.',
    run: () => void switchLinkPresses(snapshot),
  });
  items.push({
    label: 'Ask Slackbot',
    note: 'Calls one of the app’s tools, as Slackbot’s model does.',
    run: () => void askSlackbot(page),
  });
  if (snapshot.can_reset) {
    items.push({
      label: 'Reset the sandbox',
      note: 'Messages, settings, visitors and sessions go back to the start.',
      run: () => void resetSandbox(page),
    });
  }
  const face = html`${avatar(me)}<span class="entry-name">${label}</span>${icon('chevron')}`;
  return menu({ id: 'user-menu', label, face, className: 'me-button', items, isWorded: true });
}
