import { request, type Dispatcher } from 'undici';
import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

/** HTTP gives the time in whole seconds, and the request itself takes some time. */
const UNSURE_MS = 2_000;
const WARN_AFTER_MS = 30_000;
/**
 * Slack's requests are valid for five minutes, so past four some are refused. Source: Verifying requests from Slack.
 */
const FAIL_AFTER_MS = 240_000;
const TIME_LIMIT_MS = 8_000;

/** How far the other side's clock is ahead of ours, in milliseconds; undefined if it doesn't send the time. */
async function skewAgainst({
  url,
  now,
  dispatcher,
}: Omit<ClockCheckParts, 'whose'>): Promise<number | undefined> {
  const asked = now();
  const { headers, body } = await request(url, {
    dispatcher,
    headersTimeout: TIME_LIMIT_MS,
    bodyTimeout: TIME_LIMIT_MS,
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  const answered = now();
  await body.dump();
  const theirs = Date.parse(String(headers['date'] ?? ''));
  // A time in whole seconds is half a second behind on average.
  return Number.isNaN(theirs) ? undefined : theirs + 500 - (asked + answered) / 2;
}

function findingOf(about: string, whose: string, skewMs: number): Finding {
  const apart = Math.abs(skewMs);
  if (apart <= WARN_AFTER_MS) {
    const close = apart <= UNSURE_MS ? 'the same' : `${Math.round(apart / 1_000)} seconds apart`;
    return { about, state: 'ok', says: `This machine’s clock and ${whose} are ${close}.` };
  }
  const side = skewMs > 0 ? 'behind' : 'ahead of';
  return {
    about,
    state: apart > FAIL_AFTER_MS ? 'failure' : 'warning',
    says: `This machine’s clock is ${Math.round(apart / 1_000)} seconds ${side} ${whose}.`,
    next: 'Synchronize the clock with NTP. Beyond one minute, Watch stops working; beyond five, everything from Slack does, and summaries go to the wrong links.',
  };
}

interface ClockCheckParts {
  /** For example "Slack’s" or "the co-browsing service’s". */
  readonly whose: string;
  /** Requested without a key: only the Date header of the answer matters, whatever its status. */
  readonly url: string;
  readonly dispatcher: Dispatcher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Whether our clock agrees with the other side's. */
export function clockCheck({ whose, ...asked }: ClockCheckParts): Check {
  const about = 'Clock';
  return {
    about,
    async run() {
      const skew = await skewAgainst(asked).catch(() => 'unreachable' as const);
      if (skew === 'unreachable' || skew === undefined) {
        return [
          {
            about,
            state: 'warning',
            says: `${whose[0]?.toUpperCase()}${whose.slice(1)} time couldn’t be read.`,
            next: 'See the other checks for whether it can be reached at all.',
          },
        ];
      }
      return [findingOf(about, `${whose} clock`, skew)];
    },
  };
}
