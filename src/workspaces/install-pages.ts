import { page, type PageWords } from '../http/page.ts';
import type { Reply } from '../http/server.ts';

/** Why the app wasn't installed. */
export type InstallRefusal =
  | 'denied'
  | 'not-allowed'
  | 'no-state'
  | 'expired'
  | 'used'
  | 'other-browser'
  | 'code-refused'
  | 'organization'
  | 'rotated'
  | 'slack-away'
  | 'database-away';

const again = { text: 'Install again', to: 'install' };
const STARTED_ELSEWHERE =
  'Installing begins on this app’s own install page, and ends in the same browser within ten minutes.';

const REFUSALS: Readonly<Record<InstallRefusal, readonly [status: number, words: PageWords]>> = {
  denied: [
    403,
    {
      title: 'Nothing was installed',
      text: 'You or Slack canceled the installation.',
      next: 'If your workspace only allows approved apps, ask an admin to approve it.',
      link: again,
    },
  ],
  'not-allowed': [
    403,
    {
      title: 'This workspace can’t install the app',
      text: 'The app is only for workspaces that its operator has named, and yours isn’t one of them.',
      next: 'Ask whoever runs the app to add your workspace.',
    },
  ],
  'no-state': [
    400,
    {
      title: 'Nothing was installed',
      text: 'This address didn’t come from our install page.',
      next: STARTED_ELSEWHERE,
      link: again,
    },
  ],
  expired: [
    400,
    {
      title: 'This took too long',
      text: 'You have ten minutes to install the app, and they’re over.',
      link: again,
    },
  ],
  used: [
    400,
    {
      title: 'This page was already used',
      text: 'It installs the app once, and it has done that or failed.',
      next: 'If the app isn’t in Slack, install it again.',
      link: again,
    },
  ],
  'other-browser': [
    400,
    {
      title: 'This was begun in another browser',
      text: 'This browser doesn’t have the cookie of the installation, so it may be somebody else’s.',
      next: STARTED_ELSEWHERE,
      link: again,
    },
  ],
  'code-refused': [
    400,
    {
      title: 'Nothing was installed',
      text: 'Slack didn’t accept the installation.',
      next: 'Try again.',
      link: again,
    },
  ],
  organization: [
    400,
    {
      title: 'Choose a single workspace',
      text: 'The app can’t be installed for a whole Enterprise organization.',
      next: 'Install it in each workspace that needs it.',
      link: again,
    },
  ],
  rotated: [
    400,
    {
      title: 'Nothing was installed',
      text: 'Slack gave a token that expires, and this app can’t renew it.',
      next: 'Ask whoever runs the app to create it from our manifest, without token rotation.',
    },
  ],
  'slack-away': [
    503,
    {
      title: 'Slack doesn’t answer',
      text: 'Nothing was installed.',
      next: 'Try again in a minute.',
      link: again,
    },
  ],
  'database-away': [
    503,
    {
      title: 'The app can’t save anything now',
      text: 'The installation wasn’t finished.',
      next: 'Try again in a minute.',
      link: again,
    },
  ],
};

export function refusalPage(why: InstallRefusal): Reply {
  const [status, words] = REFUSALS[why];
  return page(status, words);
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
