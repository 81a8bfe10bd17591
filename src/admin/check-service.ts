import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Guess } from '../cobrowse/visitor-list.ts';
import { cobrowseFailureWords, connectAccountWords } from '../messages/failure-words.ts';
import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

/** What the operator can do about it; everyone else is sent to them. */
function nextFor({ kind, code }: CobrowseError): string {
  switch (kind) {
    case 'refused-key':
      return 'Check COBROWSE_API_KEY, or COBROWSE_ONPREM_REST_KEY, and the account the key belongs to.';
    case 'unreachable':
    case 'timed-out':
      return 'Check COBROWSE_BASE_URL, or COBROWSE_ONPREM_BASE_ENDPOINT, and the network between the app and the service.';
    default:
      return cobrowseFailureWords(kind, code).next;
  }
}

/** @param noted what else was found by asking, in words for a finding */
function asked(about: string, ask: () => Promise<unknown>, noted: () => readonly Noted[] = () => []): Check {
  return {
    about,
    async run() {
      try {
        await ask();
        return [
          { about, state: 'ok', says: 'reachable, key valid' },
          ...noted().map((note): Finding => ({ about, ...note })),
        ];
      } catch (error) {
        if (!(error instanceof CobrowseError)) throw error;
        const { text } = cobrowseFailureWords(error.kind, error.code);
        return [{ about, state: 'failure', says: text, next: nextFor(error) }];
      }
    },
  };
}

type Noted = Omit<Finding, 'about'>;

/** What the app does where the service doesn't understand what it guesses. */
const WRONG_GUESSES: Readonly<Record<Guess, Noted>> = {
  listLimit: {
    state: 'warning',
    says: 'The service refuses the parameter that limits a list, so the app leaves it out.',
    next: 'Set listLimit in COBROWSE_WIRE_NAMES to the service’s name for it, or to "" if it has none.',
  },
  searchOnline: {
    state: 'warning',
    says: 'The service doesn’t understand the search for who is online, so the app looks through the latest visitors.',
    next: 'Set searchOnline in COBROWSE_WIRE_NAMES to the service’s word for it, or to "" if it has none.',
  },
  searchOffline: {
    state: 'warning',
    says: 'The service doesn’t understand the search for who is offline, so the app looks through the latest visitors.',
    next: 'Set searchOffline in COBROWSE_WIRE_NAMES to the service’s word for it, or to "" if it has none.',
  },
  listLatest: {
    state: 'ok',
    says: 'The installation can’t list who is online, which takes MongoDB, so the app looks through the latest visitors.',
  },
};

const noEnds: Check = {
  about: 'Summaries',
  run: async () => [
    {
      about: 'Summaries',
      state: 'warning',
      says: 'This installation doesn’t report when sessions end, and there’s no account to look them up in, so there are no summaries.',
      next: 'If you have an account, also set COBROWSE_BASE_URL and COBROWSE_API_KEY.',
    },
  ],
};

const noAccount: Check = {
  about: 'Service account',
  run: async () => [
    {
      about: 'Service account',
      state: 'failure',
      says: connectAccountWords.text,
      next: connectAccountWords.next,
    },
  ],
};

/** Whether the co-browsing service answers and accepts our key. Each service is asked for as little as possible. */
export function serviceCheck(
  cobrowse: Pick<CobrowseClient, 'offers' | 'isConnected' | 'usage' | 'listVisitors' | 'understands'>,
): readonly Check[] {
  if (!cobrowse.isConnected) return [noAccount];
  const notedOf = (...guesses: readonly Guess[]) =>
    guesses.filter((guess) => cobrowse.understands(guess) === false).map((guess) => WRONG_GUESSES[guess]);
  const { usage, sessionEndWebhook, lookupAgent } = cobrowse.offers;
  return [
    asked(
      'Visitor list',
      () => cobrowse.listVisitors({ limit: 1 }),
      () => notedOf('listLimit'),
    ),
    asked(
      'Online visitors',
      () => cobrowse.listVisitors({ online: true, limit: 1 }),
      () => notedOf('searchOnline', 'searchOffline', 'listLatest'),
    ),
    ...(usage ? [asked('Service account', () => cobrowse.usage())] : []),
    ...(sessionEndWebhook || lookupAgent ? [] : [noEnds]),
  ];
}
