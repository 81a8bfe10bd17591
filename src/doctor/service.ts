import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { cobrowseFailureWords } from '../views/failure-words.ts';
import type { Check } from './examine.ts';

function asked(about: string, ask: () => Promise<unknown>): Check {
  return {
    about,
    async run() {
      try {
        await ask();
        return [{ about, state: 'ok', says: 'It answers, and takes the key of this app.' }];
      } catch (error) {
        if (!(error instanceof CobrowseError)) throw error;
        const { text, next } = cobrowseFailureWords(error.kind, error.code);
        return [{ about, state: 'failure', says: text, next }];
      }
    },
  };
}

/** Whether the co-browsing service answers and takes our key: each service is asked for as little as it can give. */
export function serviceCheck(
  cobrowse: Pick<CobrowseClient, 'offers' | 'usage' | 'listVisitors'>,
): readonly Check[] {
  return [
    asked('Visitors of the service', () => cobrowse.listVisitors({ limit: 1 })),
    ...(cobrowse.offers.usage ? [asked('Account of the service', () => cobrowse.usage())] : []),
  ];
}
