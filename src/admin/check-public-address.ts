import { request, type Dispatcher } from 'undici';
import { z } from 'zod';
import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

const TIME_LIMIT_MS = 10_000;
const ABOUT = 'Public address';

const Answer = z.object({ status: z.literal('ok'), probe: z.string() });

interface PublicAddressParts {
  /** Without a slash at the end; undefined if there is none, which Socket Mode allows. */
  readonly publicUrl: string | undefined;
  /** Seals a word into a ticket. The app's webhook route answers with the word after writing to its database. */
  readonly issueProbe: (word: string) => string;
  readonly newWord: () => string;
  readonly dispatcher: Dispatcher;
}

const failure = (says: string, next: string): Finding => ({ about: ABOUT, state: 'failure', says, next });

function causeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'no answer';
}

/**
 * Sends what the service sends at the end of a session, through the public address: that covers the name, certificate,
 * proxy, keys and database. Another app with the same keys would answer too.
 */
export function publicAddressCheck({
  publicUrl,
  issueProbe,
  newWord,
  dispatcher,
}: PublicAddressParts): Check {
  async function roundTrip(url: string): Promise<Finding> {
    const word = newWord();
    const { statusCode, body } = await request(`${url}/webhooks/session-end/${issueProbe(word)}`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    const text = await body.text();
    const answer = statusCode === 200 ? Answer.safeParse(parsed(text)) : undefined;
    if (answer?.data?.probe === word) {
      return {
        about: ABOUT,
        state: 'ok',
        says: 'A test webhook reached an app with these SECRET_KEYS and was stored.',
      };
    }
    if (statusCode === 503)
      return failure(
        'A test webhook arrived but couldn’t be stored.',
        'See the checks of the database for why.',
      );
    return failure(
      statusCode === 404
        ? 'Something answers there, but not this app with these SECRET_KEYS.'
        : `Something else answers there, with status ${statusCode}.`,
      'Check PUBLIC_URL, the proxy in front of the app, and whether the app runs with the same SECRET_KEYS.',
    );
  }

  return {
    about: ABOUT,
    async run() {
      if (publicUrl === undefined) {
        return [
          {
            about: ABOUT,
            state: 'ok',
            says: 'None set. Watch takes two steps, and the app looks up ended sessions itself.',
          },
        ];
      }
      try {
        return [await roundTrip(publicUrl)];
      } catch (error) {
        return [
          failure(
            `It can’t be reached from this machine (${causeOf(error)}).`,
            'Check PUBLIC_URL, its DNS name, its certificate, and whether the app runs behind it.',
          ),
        ];
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
