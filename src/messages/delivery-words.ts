import type { CodeKind } from './slack-codes.ts';
import { code, short, type Line, type Piece } from './text.ts';

/** Why a summary wasn't delivered. `code` is Slack's, or ours where Slack gave none; `neededScope` what Slack said was missing. */
export interface Trouble {
  readonly kind: CodeKind;
  readonly code: string;
  readonly neededScope?: string;
}

/** What a temporary failure means while the summary still waits. */
function whilePassing(kind: 'busy' | 'channel-busy' | 'slack-down' | 'no-answer', said: Piece): Line {
  switch (kind) {
    case 'busy':
      return ['Slack asked the app to slow down. It retries automatically.'];
    case 'channel-busy':
      return ['Slack can’t change that channel right now (', said, '). The app retries automatically.'];
    case 'slack-down':
      return ['Slack is having problems (', said, '). The app retries automatically.'];
    case 'no-answer':
      return [
        'Slack didn’t answer. The app checks whether the summary arrived, then tries again. If this keeps ' +
          'happening, the app’s connection to slack.com is blocked.',
      ];
    default:
      return kind satisfies never;
  }
}

/**
 * What it means and what to do, as sentences of one line.
 *
 * @param isOver whether the app stopped trying
 * @param reader the agent whose summary it is, or an admin, who has Retry and Discard beside the words
 */
export function troubleWords(
  { kind, code: given, neededScope }: Trouble,
  isOver: boolean,
  reader: 'agent' | 'admin' = 'agent',
): Line {
  const isAdmin = reader === 'admin';
  const said: Piece = code(short(given, 80));
  const report = isAdmin ? 'Check the app’s log.' : 'Tell your admin.';
  switch (kind) {
    case 'not-in-channel':
      return [
        given === 'channel_not_found'
          ? 'I can’t see that channel: I’m not in it, or it has a new ID since it was shared or converted. Type '
          : 'I’m not in that channel. Type ',
        code('/invite @Co-browse'),
        isAdmin ? ' there, then press Retry.' : ' there, and the next summary will arrive.',
      ];
    case 'archived':
      return isAdmin
        ? ['That channel is archived. Unarchive it and press Retry, or press Discard.']
        : ['That channel is archived. Unarchive it, or watch from another channel.'];
    case 'deleted':
      return ['That channel was deleted. Watch from another channel.'];
    case 'restricted':
    case 'other-conversation':
      return isAdmin
        ? ['Posting in that channel is restricted. Allow the app to post there, then press Retry.']
        : ['Posting in that channel is restricted. Ask a workspace admin to let the app post there.'];
    case 'refused-token':
      return [
        'Slack refused the app’s token (',
        said,
        '), so all summaries are waiting. ',
        isAdmin ? 'Reinstall the app and set ' : 'Ask your admin to reinstall the app and set ',
        code('SLACK_BOT_TOKEN'),
        '.',
      ];
    case 'migrating':
      return [
        'Slack is moving this workspace (',
        said,
        '). Everything waits, and is posted once Slack accepts it again.',
      ];
    case 'not-granted':
      return [
        'Your Slack organization hasn’t approved the app for this workspace (',
        said,
        '), so all summaries are waiting. ',
        isAdmin ? 'Approve it there.' : 'Ask your admin to have it approved.',
      ];
    case 'not-allowed':
    case 'files-off':
      return [
        'Your Slack organization’s settings don’t allow this (',
        said,
        isAdmin ? '). Change them, then press Retry.' : '). Ask a Slack admin to change them.',
      ];
    case 'network':
      return [
        'Slack doesn’t accept requests from the app’s network (',
        said,
        '). Ask whoever runs the app to add its address to those allowed.',
      ];
    case 'messages-off':
      return [
        'The app’s direct messages are turned off (',
        said,
        '). Ask whoever runs the app to turn on its Messages tab.',
      ];
    case 'missing-scope':
      return [
        'The app is missing the scope ',
        code(short(neededScope ?? 'chat:write', 80)),
        isAdmin ? '. Install' : '. Ask your admin to install',
        ' the app again with it.',
      ];
    case 'too-long':
      return ['This summary is too long for Slack, even in its short form (', said, `). ${report}`];
    case 'unreachable-person':
      return [
        'Slack won’t deliver the app’s direct messages to that person (',
        said,
        '). They may have left. ',
        ...(isAdmin
          ? [
              'Press Retry if they’re back, or Discard. To send such summaries to a channel, set one in the Home tab, or as ',
              code('SUMMARY_CHANNEL'),
              '.',
            ]
          : ['Watch from a channel, or ask your admin to set a summary channel.']),
      ];
    case 'busy':
    case 'channel-busy':
    case 'slack-down':
    case 'no-answer':
      if (!isOver) return whilePassing(kind, said);
      return ['The app tried for three days. Slack answered ', said, `. ${report}`];
    case 'filter-unknown':
      return [
        `${isOver ? 'For three days, the' : 'The'} app couldn’t check whether the subscription wants this summary. `,
        isOver ? 'Run ' : 'It keeps checking. If this keeps happening, run ',
        code('/cobrowse doctor'),
        isOver ? ', then press Retry.' : '.',
      ];
    case 'set-aside':
      return [`The app crashed each time it tried to post this. ${report}`];
    case 'unreadable':
      return [
        'This summary’s record is damaged. Restore the database from a backup, or discard the summary.',
      ];
    case 'unknown':
      if (!isOver) return ['Slack answered ', said, '. The app keeps trying for a day.'];
      return ['Slack answered ', said, `. ${report}`];
    case 'no-thread':
    case 'gone':
    case 'layout':
    case 'too-late':
    case 'no-group':
    case 'our-fault':
      return ['Slack answered ', said, `. ${report}`];
    default:
      return kind satisfies never;
  }
}

/** The result of Retry or Discard: `busy` is a delivery that is being posted right now, `unknown` one that isn't kept. */
export type RetryAnswer =
  | 'unreadable'
  | 'retried'
  | 'posted'
  | 'skipped'
  | 'dropped'
  | 'failed'
  | 'busy'
  | 'unknown';

/** The answer to whoever pressed Retry or Discard. */
export function ledgerAnswerWords(answer: RetryAnswer): string {
  switch (answer) {
    case 'retried':
      return 'Retrying. If it fails again, the summary returns to this list.';
    case 'posted':
      return 'The summary was posted in the meantime. Nothing else changed.';
    case 'skipped':
      return 'This channel no longer gets these summaries: its subscription was changed or removed, or whoever set it up can’t see customers anymore. Nothing else changed.';
    case 'dropped':
      return 'Discarded. The summary won’t be posted.';
    case 'failed':
      return 'The summary couldn’t be posted. Reopen the Home tab to see why.';
    case 'busy':
      return 'The summary is being posted right now. Wait a minute, then press Refresh.';
    case 'unreadable':
      return 'This summary’s record is damaged, so it can’t be posted. Restore the database from a backup, or discard it.';
    case 'unknown':
      return 'This summary is gone: undelivered summaries are kept for 30 days. Nothing changed.';
    default:
      return answer satisfies never;
  }
}
