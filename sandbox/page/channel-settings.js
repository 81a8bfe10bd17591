import { nothing } from './vendor/lit-html/lit-html.js';
import { changeChannel, uninstall } from './actions.js';
import { title } from './channel-title.js';
import { icon } from './icon.js';
import { menu } from './menu.js';
import { hasApp } from './page.js';
import { askFirst } from './question.js';

/**
 * Changes by the channel's owner that the app has to cope with.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function channelSettings(page, channel) {
  if (channel.kind === 'dm') return appSettings(page);
  const entry = (label, change) => ({ label, run: () => void changeChannel(page, channel.id, change) });
  const items = [
    channel.archived
      ? entry('Unarchive this channel', 'unarchive')
      : entry('Archive this channel', 'archive'),
  ];
  if (channel.has_app) items.push(entry('Remove the app from this channel', 'remove-app'));
  else if (hasApp(page.snapshot)) items.push(entry('Invite the app to this channel', 'invite-app'));
  const label = `Settings of ${title(channel)}`;
  return menu({ id: 'channel-settings', label, face: icon('more'), className: 'icon-button', items });
}

/** Where the workspace has installed the app, it can remove it. @param {import('./page.js').Page} page */
function appSettings(page) {
  const { installing, workspace } = page.snapshot;
  if (installing === undefined) return nothing;
  const confirm = {
    title: { text: `Remove Co-browse from ${workspace}?` },
    text: { type: 'plain_text', text: 'Its token stops working, and it leaves all channels.' },
    confirm: { text: 'Remove app' },
    deny: { text: 'Cancel' },
    style: 'danger',
  };
  const items = [{ label: 'Remove app', run: () => askFirst(page, { confirm }, () => void uninstall(page)) }];
  const label = 'Settings of Co-browse';
  return menu({ id: 'channel-settings', label, face: icon('more'), className: 'icon-button', items });
}
