import { request } from 'undici';
import { z } from 'zod';
import type { Measured } from './child.ts';

/** Of the address that answers to commands go to. */
export const ANSWERS = '/respond';
/** Asked once for each press of a Watch button: whether the presser is in the channel. */
export const MEMBERS = '/api/conversations.members';
/** Asked once by each process that has started. */
export const STARTS = '/api/auth.test';
export const POSTS = '/api/chat.postMessage';
export const HOMES = '/api/views.publish';

/** How long what is awaited may take: past it something is lost. */
const LONGEST_MS = 60_000;

async function get({ origin }: Measured, path: string): Promise<string> {
  const { body } = await request(origin + path, { headersTimeout: LONGEST_MS });
  return body.text();
}

/** How often the upstream was asked for a path so far. */
const askedSoFar = async (upstream: Measured, path: string): Promise<number> =>
  Number(await get(upstream, `/count${path}`));

/** @returns what resolves when the path was asked for `count` times more from now on */
export async function awaitAsked(
  upstream: Measured,
  path: string,
  count: number,
): Promise<() => Promise<void>> {
  const before = await askedSoFar(upstream, path);
  return async () => {
    await get(upstream, `/when/${before + count}${path}`).catch(async (cause: unknown) => {
      const times = (await askedSoFar(upstream, path)) - before;
      throw new Error(`${path} was asked for ${times} times, not ${count}`, { cause });
    });
  };
}

const Calls = z.object({ slack: z.number(), service: z.number() });

/** How many calls the upstream got so far, as Slack and as the service. */
export async function callsSoFar(upstream: Measured): Promise<z.infer<typeof Calls>> {
  return Calls.parse(JSON.parse(await get(upstream, '/calls')));
}

/** How often the upstream was asked for each path so far. */
export async function pathsAskedSoFar(upstream: Measured): Promise<ReadonlyMap<string, number>> {
  const asked = z.record(z.string(), z.number()).parse(JSON.parse(await get(upstream, '/asked')));
  return new Map(Object.entries(asked));
}
