import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError, NOT_PUBLIC, type KeyHolder } from '../cobrowse/errors.ts';
import type { Guess } from '../cobrowse/visitor-list.ts';
import { cobrowseFailureWords, connectAccountWords } from '../messages/failure-words.ts';
import { check, failure, ok, warning, type Check, type Found } from './findings.ts';

/** What to do, by who holds the key. */
const NEXT = {
  settings: {
    key: 'Check COBROWSE_API_KEY, or COBROWSE_ONPREM_REST_KEY, and the account the key belongs to.',
    address:
      'Check COBROWSE_BASE_URL, or COBROWSE_ONPREM_BASE_ENDPOINT, and the network between the app and the service.',
    ends: 'If you have an account, also set COBROWSE_BASE_URL and COBROWSE_API_KEY.',
  },
  operator: {
    key: 'Ask whoever runs the app to check its key and the account the key belongs to.',
    address: 'Ask whoever runs the app to check the service’s address and the network.',
    ends: 'Ask whoever runs the app to add an account.',
  },
  workspace: {
    key: 'Press Change in the Home tab, and check the key and the account it belongs to.',
    address: 'Press Change in the Home tab and check the address, and whether the service is reachable.',
    ends: 'If you have an account in the cloud, press Change in the Home tab and add it.',
  },
} as const satisfies Record<KeyHolder | 'settings', object>;
type Next = (typeof NEXT)[keyof typeof NEXT];

function nextFor(error: CobrowseError, next: Next): string {
  if (error.kind === 'refused-key') return next.key;
  const isOfAddress = error.kind === 'unreachable' || error.kind === 'timed-out';
  return isOfAddress && error.code !== NOT_PUBLIC ? next.address : cobrowseFailureWords(error).next;
}

/** What the app does where the service doesn't understand what it guesses. */
const WRONG_GUESSES: Readonly<Record<Guess, Found>> = {
  listLimit: warning(
    'The service refuses the parameter that limits a list, so the app leaves it out.',
    'Whoever runs the app can set listLimit in COBROWSE_WIRE_NAMES to the service’s name for it, or to "" if it has none.',
  ),
  searchOnline: warning(
    'The service doesn’t understand the search for who is online, so the app looks through the latest visitors.',
    'Whoever runs the app can set searchOnline in COBROWSE_WIRE_NAMES to the service’s word for it, or to "" if it has none.',
  ),
  searchOffline: warning(
    'The service doesn’t understand the search for who is offline, so the app looks through the latest visitors.',
    'Whoever runs the app can set searchOffline in COBROWSE_WIRE_NAMES to the service’s word for it, or to "" if it has none.',
  ),
  listLatest: ok(
    'The installation can’t list who is online, which takes MongoDB, so the app looks through the latest visitors.',
  ),
};

/** Whether the co-browsing service answers and accepts our key. Each service is asked for as little as possible. */
export function serviceCheck(
  cobrowse: Pick<
    CobrowseClient,
    'offers' | 'isConnected' | 'keyHolder' | 'usage' | 'listVisitors' | 'understands'
  >,
): readonly Check[] {
  const { text, next } = connectAccountWords;
  if (!cobrowse.isConnected) return [check('Service account', async () => failure(text, next))];
  const todo = NEXT[cobrowse.keyHolder ?? 'settings'];
  const asked = (about: string, ask: () => Promise<unknown>, ...guesses: readonly Guess[]) =>
    check(about, async () => {
      try {
        await ask();
      } catch (error) {
        if (!(error instanceof CobrowseError)) throw error;
        return failure(cobrowseFailureWords(error).text, nextFor(error, todo));
      }
      const wrong = guesses.filter((guess) => cobrowse.understands(guess) === false);
      return [ok('reachable, key valid'), ...wrong.map((guess) => WRONG_GUESSES[guess])];
    });
  const { usage, sessionEndWebhook, lookupAgent } = cobrowse.offers;
  const noEnds = warning(
    'This installation doesn’t report when sessions end, and there’s no account to look them up in, so there are no summaries.',
    todo.ends,
  );
  return [
    asked('Visitor list', () => cobrowse.listVisitors({ limit: 1 }), 'listLimit'),
    asked(
      'Online visitors',
      () => cobrowse.listVisitors({ online: true, limit: 1 }),
      'searchOnline',
      'searchOffline',
      'listLatest',
    ),
    ...(usage ? [asked('Service account', () => cobrowse.usage())] : []),
    ...(sessionEndWebhook || lookupAgent ? [] : [check('Summaries', async () => noEnds)]),
  ];
}
