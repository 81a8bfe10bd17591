import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { cobrowseFailureWords } from '../views/failure-words.ts';
import type { Check } from './examine.ts';

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

function asked(about: string, ask: () => Promise<unknown>): Check {
  return {
    about,
    async run() {
      try {
        await ask();
        return [{ about, state: 'ok', says: 'reachable, key valid' }];
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
      says: 'This installation doesn’t report when sessions end, and there’s no account to look them up in, so there are no summaries.',
      next: 'If you have an account, also set COBROWSE_BASE_URL and COBROWSE_API_KEY.',
    },
  ],
};

/** Whether the co-browsing service answers and accepts our key. Each service is asked for as little as possible. */
export function serviceCheck(
  cobrowse: Pick<CobrowseClient, 'offers' | 'usage' | 'listVisitors'>,
): readonly Check[] {
  const { usage, sessionEndWebhook, lookupAgent } = cobrowse.offers;
  return [
    asked('Visitor list', () => cobrowse.listVisitors({ limit: 1 })),
    ...(usage ? [asked('Service account', () => cobrowse.usage())] : []),
    ...(sessionEndWebhook || lookupAgent ? [] : [noEnds]),
  ];
}
