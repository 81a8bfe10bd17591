import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import type { Measured } from './child.ts';

/** Of the address that answers to commands go to. */
export const ANSWERS = '/respond';
/** Asked once for each press of a Watch button: whether the presser is in the channel. */
export const MEMBERS = '/api/conversations.members';

/** How often the upstream was asked for a path so far. */
async function asked({ origin }: Measured, path: string): Promise<number> {
  const { body } = await request(`${origin}/count${path}`);
  return Number(await body.text());
}

/** @returns what resolves when the path was asked for `count` times more from now on */
export async function awaitAsked(
  upstream: Measured,
  path: string,
  count: number,
): Promise<() => Promise<void>> {
  const before = await asked(upstream, path);
  return async () => {
    while ((await asked(upstream, path)) < before + count) await wait(5);
  };
}
