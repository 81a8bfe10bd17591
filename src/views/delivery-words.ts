import { code } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { short } from './text.ts';

/** Why a summary is not where it belongs, as far as it makes a difference to whoever has to do something about it. */
export type TroubleKind =
  | 'not-in-channel'
  | 'archived'
  | 'restricted'
  | 'refused-token'
  | 'missing-scope'
  | 'too-long'
  | 'unreachable-person'
  | 'busy'
  | 'slack-down'
  | 'no-answer'
  | 'filter-unknown'
  | 'set-aside'
  | 'unreadable'
  | 'unknown';

/** `code` is Slack's, or ours where Slack gave none; `neededScope` what Slack said was missing. */
export interface Trouble {
  readonly kind: TroubleKind;
  readonly code: string;
  readonly neededScope?: string | undefined;
}

/** What a failure that passes by itself means while the summary still waits. */
function whilePassing(kind: 'busy' | 'slack-down' | 'no-answer', said: Piece): Line {
  switch (kind) {
    case 'busy':
      return ['Slack asks the app to slow down. Nothing to do: it goes on by itself.'];
    case 'slack-down':
      return ['Slack has a failure of its own (', said, '). Nothing to do: it is tried again.'];
    case 'no-answer':
      return [
        'Slack gave no answer. It is looked whether the summary arrived, then it is tried again. If this stays, ' +
          'the app’s way to slack.com is blocked.',
      ];
    default:
      return kind satisfies never;
  }
}

/**
 * What it means and what to do, as sentences of one line.
 *
 * @param isOver whether it was given up: what passes by itself did not
 * @param reader the agent whose summary it is, or an admin, who has Retry and Drop beside the words
 */
export function troubleWords(
  { kind, code: given, neededScope }: Trouble,
  isOver: boolean,
  reader: 'agent' | 'admin' = 'agent',
): Line {
  const isAdmin = reader === 'admin';
  const said: Piece = code(short(given, 80));
  switch (kind) {
    case 'not-in-channel':
      return [
        'I’m not in that channel. Type ',
        code('/invite @Co-browse'),
        isAdmin ? ' there, then press Retry.' : ' there, and the next summary will arrive.',
      ];
    case 'archived':
      return isAdmin
        ? ['That channel is archived. Unarchive it and press Retry, or press Drop.']
        : ['That channel is archived. Press Watch from another channel, or unarchive it.'];
    case 'restricted':
      return isAdmin
        ? ['Posting in that channel is restricted. Allow the app to post there, then press Retry.']
        : ['Posting in that channel is restricted. Ask a workspace admin to let the app post there.'];
    case 'refused-token':
      return [
        'Slack refuses the token of the app (',
        said,
        '), so all summaries wait. Whoever runs the app installs it again and sets ',
        code('SLACK_BOT_TOKEN'),
        '.',
      ];
    case 'missing-scope':
      return [
        'The app lacks the scope ',
        code(short(neededScope ?? 'chat:write', 80)),
        '. Whoever runs the app adds it under OAuth & Permissions at api.slack.com/apps and installs the app again.',
      ];
    case 'too-long':
      return [
        'Slack finds the summary too long, in its short form too (',
        said,
        '). Show this to whoever runs the app.',
      ];
    case 'unreachable-person':
      return [
        'Slack takes no direct message of the app for that person (',
        said,
        '): they may have left. ',
        ...(isAdmin
          ? ['Press Retry if they’re back, or Drop. To give such summaries a channel, set ']
          : ['Press Watch in a channel, or set ']),
        code('SUMMARY_CHANNEL'),
        '.',
      ];
    case 'busy':
    case 'slack-down':
    case 'no-answer':
      if (!isOver) return whilePassing(kind, said);
      return ['It was tried for three days. Slack answered ', said, '. Show this to whoever runs the app.'];
    case 'filter-unknown':
      return [
        `${isOver ? 'For three days it' : 'It'} could not be looked up whether the subscription wants this summary. `,
        isOver ? 'Type ' : 'It is looked up again. If this stays, type ',
        code('/cobrowse doctor'),
        isOver ? ', then press Retry.' : '.',
      ];
    case 'set-aside':
      return [
        'The app stopped each of the five times it tried to post this. Show this to whoever runs the app.',
      ];
    case 'unreadable':
      return [
        'What was kept of this summary cannot be read. Restore a copy of the store, or drop the summary.',
      ];
    case 'unknown':
      return ['Slack answered ', said, '. Show this to whoever runs the app.'];
    default:
      return kind satisfies never;
  }
}

/** What came of a Retry or a Drop: `busy` is a delivery that is being posted just now, `unknown` one that is not kept. */
export type LedgerAnswer =
  | 'unreadable'
  | 'retried'
  | 'posted'
  | 'skipped'
  | 'dropped'
  | 'failed'
  | 'busy'
  | 'unknown';

/** The answer to who pressed Retry or Drop. */
export function ledgerAnswerWords(answer: LedgerAnswer): string {
  switch (answer) {
    case 'retried':
      return 'The summary is on its way again. If its channel still does not take it, it comes back to this list.';
    case 'posted':
      return 'The summary has been posted meanwhile. Nothing else was done.';
    case 'skipped':
      return 'The summary is not wanted there any more: its subscription was changed or removed, or whoever set it up may not read it any more. Nothing else was done.';
    case 'dropped':
      return 'The summary is dropped: it will not be posted.';
    case 'failed':
      return 'The summary could not be posted. Open the Home tab again to see why.';
    case 'busy':
      return 'The summary is being posted at this moment. Wait a minute, then press Refresh.';
    case 'unreadable':
      return 'What was kept of this summary cannot be read: it cannot be posted. Restore a copy of the store, or drop it.';
    case 'unknown':
      return 'The summary is not kept any more: what was given up is kept for 30 days. Nothing was done.';
    default:
      return answer satisfies never;
  }
}
