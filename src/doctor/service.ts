import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { cobrowseFailureWords } from '../views/failure-words.ts';
import type { Check } from './examine.ts';

/** What to do about it for who runs the app, whom the words for everybody else send people to. */
function nextFor({ kind, code }: CobrowseError): string {
  switch (kind) {
    case 'refused-key':
      return 'Look at COBROWSE_API_KEY, or COBROWSE_ONPREM_REST_KEY, and at the account that the key belongs to.';
    case 'unreachable':
    case 'timed-out':
      return 'Look at COBROWSE_BASE_URL, or COBROWSE_ONPREM_BASE_ENDPOINT, and at the network between the app and the service.';
    default:
      return cobrowseFailureWords(kind, code).next;
  }
}

function asked(about: string, ask: () => Promise<unknown>): Check {
  return {
    about,
    async run() {
      try {
        await ask();
        return [{ about, state: 'ok', says: 'It answers, and takes the key of this app.' }];
      } catch (error) {
        if (!(error instanceof CobrowseError)) throw error;
        const { text } = cobrowseFailureWords(error.kind, error.code);
        return [{ about, state: 'failure', says: text, next: nextFor(error) }];
      }
    },
  };
}

const noEnds: Check = {
  about: 'Summaries',
  run: async () => [
    {
      about: 'Summaries',
      state: 'warning',
      says: 'This installation tells of no session’s end, and there is no account that could be asked: no summaries come.',
      next: 'Set COBROWSE_BASE_URL and COBROWSE_API_KEY, too, where there is an account.',
    },
  ],
};

/** Whether the co-browsing service answers and takes our key: each service is asked for as little as it can give. */
export function serviceCheck(
  cobrowse: Pick<CobrowseClient, 'offers' | 'usage' | 'listVisitors'>,
): readonly Check[] {
  const { usage, sessionEndWebhook, lookupAgent } = cobrowse.offers;
  return [
    asked('Visitors of the service', () => cobrowse.listVisitors({ limit: 1 })),
    ...(usage ? [asked('Account of the service', () => cobrowse.usage())] : []),
    ...(sessionEndWebhook || lookupAgent ? [] : [noEnds]),
  ];
}
