import { nothing } from './vendor/lit-html/lit-html.js';
import { changeChannel } from './actions.js';
import { title } from './channel-title.js';
import { icon } from './icon.js';
import { menu } from './menu.js';

/**
 * Changes by the channel's owner that the app has to cope with.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function channelSettings(page, channel) {
  if (channel.kind === 'dm') return nothing;
  const entry = (label, change) => ({ label, run: () => void changeChannel(page, channel.id, change) });
  const items = [
    channel.archived
      ? entry('Unarchive this channel', 'unarchive')
      : entry('Archive this channel', 'archive'),
    channel.has_app
      ? entry('Remove the app from this channel', 'remove-app')
      : entry('Invite the app to this channel', 'invite-app'),
  ];
  const label = `Settings of ${title(channel)}`;
  return menu({ id: 'channel-settings', label, face: icon('more'), className: 'icon-button', items });
}
