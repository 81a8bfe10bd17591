import { page } from '../http/page.ts';
import type { Reply } from '../http/server.ts';

const STARTED_ELSEWHERE =
  'Installing begins on this app’s own install page, and ends in the same browser within ten minutes.';

/** Why the app wasn't installed: a status, a title, what happened, and what to do next. */
const REFUSALS = {
  denied: [
    403,
    'Nothing was installed',
    'You or Slack canceled the installation.',
    'If your workspace only allows approved apps, ask an admin to approve it.',
  ],
  'not-allowed': [
    403,
    'This workspace can’t install the app',
    'The app is only for workspaces that its operator has named, and yours isn’t one of them.',
    'Ask whoever runs the app to add your workspace.',
  ],
  'no-state': [
    400,
    'Nothing was installed',
    'This address didn’t come from our install page.',
    STARTED_ELSEWHERE,
  ],
  expired: [
    400,
    'This took too long',
    'You have ten minutes to install the app, and they’re over.',
    undefined,
  ],
  used: [
    400,
    'This page was already used',
    'It installs the app once, and it has done that or failed.',
    'If the app isn’t in Slack, install it again.',
  ],
  'other-browser': [
    400,
    'This was begun in another browser',
    'This browser doesn’t have the cookie of the installation, so it may be somebody else’s.',
    STARTED_ELSEWHERE,
  ],
  'code-refused': [400, 'Nothing was installed', 'Slack didn’t accept the installation.', 'Try again.'],
  organization: [
    400,
    'Choose a single workspace',
    'The app can’t be installed for a whole Enterprise organization.',
    'Install it in each workspace that needs it.',
  ],
  rotated: [
    400,
    'Nothing was installed',
    'Slack gave a token that expires, and this app can’t renew it.',
    'Ask whoever runs the app to create it from our manifest, without token rotation.',
  ],
  'slack-away': [503, 'Slack doesn’t answer', 'Nothing was installed.', 'Try again in a minute.'],
  'database-away': [
    503,
    'The app can’t save anything now',
    'The installation wasn’t finished.',
    'Try again in a minute.',
  ],
} as const;
export type InstallRefusal = keyof typeof REFUSALS;

/** Where another try ends the same way. */
const FINAL = new Set<InstallRefusal>(['not-allowed', 'rotated']);

export function refusalPage(why: InstallRefusal): Reply {
  const [status, title, text, next] = REFUSALS[why];
  const link = FINAL.has(why) ? undefined : { text: 'Install again', to: 'install' };
  return page(status, { title, text, next, link });
}

/** Opens Slack at the app's Home. Source: docs.slack.dev/interactivity/deep-linking, `slack://app`. */
export function installedPage({
  workspaceId,
  appId,
  name,
  isServed,
}: {
  readonly workspaceId: string;
  readonly appId: string;
  readonly name: string;
  /** Whether there's an account of the service already: the operator's. */
  readonly isServed: boolean;
}): Reply {
  const to = `slack://app?team=${encodeURIComponent(workspaceId)}&id=${encodeURIComponent(appId)}&tab=home`;
  return page(200, {
    title: 'Co-browse is installed',
    text: `It’s now in ${name}.`,
    next: isServed
      ? 'Invite it to your support channel, then type /cobrowse there.'
      : 'Next, an admin connects your co-browsing account in its Home tab.',
    link: { text: 'Open Co-browse in Slack', to },
  });
}
