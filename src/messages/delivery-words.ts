import type { CodeKind } from './slack-codes.ts';
import { code, say, short, type Line } from './text.ts';

/** `code` is Slack's, or ours where it gave none; `neededScope` what Slack said was missing. */
export interface Trouble {
  readonly kind: CodeKind;
  readonly code: string;
  readonly neededScope?: string;
}

/** What it means and what to do, for the agent whose summary it is as for an admin. @param isOver whether the app stopped trying */
export function troubleWords({ kind, code: given, neededScope }: Trouble, isOver: boolean): Line {
  const said = code(short(given, 80));
  const answered = say`Slack answered ${said}. If it stays so, an admin finds more in the app’s log.`;
  const overOr = (passing: Line) => (isOver ? say`The app tried for three days. ${answered}` : passing);
  const restricted = say`Posting in that channel is restricted. A workspace admin can let the app post there.`;
  const notIn =
    given === 'channel_not_found'
      ? 'I can’t see that channel: I’m not in it, or it has a new ID since it was shared or converted.'
      : 'I’m not in that channel.';
  const words: Partial<Record<CodeKind, Line>> = {
    'not-in-channel': say`${notIn} Type ${code('/invite @Co-browse')} there.`,
    archived: say`That channel is archived. Unarchive it, or watch from another channel.`,
    deleted: say`That channel was deleted. Watch from another channel.`,
    restricted,
    'other-conversation': restricted,
    'refused-token': say`Slack refused the app’s token (${said}), so all summaries are waiting. A workspace admin has to reinstall the app. If it runs on your own server, set ${code('SLACK_BOT_TOKEN')} to the new token, too.`,
    migrating: say`Slack is moving this workspace (${said}). Everything waits, and is posted once Slack accepts it again.`,
    'not-granted': say`Your Slack organization hasn’t approved the app for this workspace (${said}), so all summaries are waiting. An admin of the organization can approve it.`,
    'not-allowed': say`Your Slack organization’s settings don’t allow this (${said}). A Slack admin can change them.`,
    network: say`Slack doesn’t accept requests from the app’s network (${said}). Ask whoever runs the app to add its address to those allowed.`,
    'messages-off': say`The app’s direct messages are turned off (${said}). Ask whoever runs the app to turn on its Messages tab.`,
    'missing-scope': say`The app is missing the scope ${code(short(neededScope ?? 'chat:write', 80))}. An admin has to install the app again with it.`,
    'too-long': say`This summary is too long for Slack, even in its short form (${said}).`,
    'unreachable-person': say`Slack won’t deliver the app’s direct messages to that person (${said}). They may have left. To send such summaries to a channel, an admin can set one in the Home tab, or as ${code('SUMMARY_CHANNEL')}.`,
    busy: overOr(say`Slack is busy (${said}). The app retries automatically.`),
    'slack-down': overOr(say`Slack is having problems (${said}). The app retries automatically.`),
    'no-answer': overOr(
      say`Slack didn’t answer. The app checks whether the summary arrived, then tries again. If this keeps happening, the app’s connection to slack.com is blocked.`,
    ),
    'filter-unknown': say`The app couldn’t check ${isOver && 'for three days '}whether the subscription wants this summary. An admin can run ${code('/cobrowse doctor')}.`,
    'set-aside': say`The app crashed each time it tried to post this. An admin finds why in the app’s log.`,
    unreadable: say`This summary’s record is damaged. Restore the database from a backup, or discard the summary.`,
    unknown: isOver ? undefined : say`Slack answered ${said}. The app keeps trying for a day.`,
  };
  return words[kind] ?? answered;
}

/** `busy`: being posted right now; `unknown`: not kept. */
export const RETRY_ANSWERS = {
  retried: 'Retrying. If it fails again, the summary returns to this list.',
  posted: 'The summary was posted in the meantime. Nothing else changed.',
  skipped:
    'This channel no longer gets these summaries: its subscription was changed or removed, or whoever set it up can’t see customers anymore. Nothing else changed.',
  dropped: 'Discarded. The summary won’t be posted.',
  failed: 'The summary couldn’t be posted. Reopen the Home tab to see why.',
  busy: 'The summary is being posted right now. Wait a minute, then press Refresh.',
  unreadable:
    'This summary’s record is damaged, so it can’t be posted. Restore the database from a backup, or discard it.',
  unknown: 'This summary is gone: undelivered summaries are kept for 30 days. Nothing changed.',
} as const;

export type RetryAnswer = keyof typeof RETRY_ANSWERS;
