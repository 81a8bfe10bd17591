import { expect } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { pressOf, sendInteraction } from '../slack/send-payload.ts';
import { ALEX, SUPPORT } from '../support/person.ts';

/** As a browser opens an address, without following it. */
export const open = (address: string | URL, init: RequestInit = {}) =>
  fetch(address, { redirect: 'manual', ...init });

/** Where the form of a page leads, as a browser reads it. */
export function formIn(page: string, address: string): URL {
  const [, action] = /<form method="post" action="([^"]+)"/.exec(page) ?? [];
  if (action === undefined) throw new Error(`No form in: ${page}`);
  return new URL(action, address);
}

export const submit = (form: string | URL) => open(form, { method: 'POST' });

/** What the service was asked links for, so far. */
export const linksMade = ({ service }: Pick<Sandbox, 'service'>) =>
  service.requests.filter(({ method, path }) => method === 'POST' && /watch_url|proxy_sessions/.test(path));

/** Slack's word of a press of a Watch button of Alex's, to be sent when and as a test likes. */
export function pressBy(
  visitorId: string,
  { access = 'full', drawnFor = ALEX, by = ALEX, secondsAgo = 0, ...more }: PressOptions = {},
) {
  const value = JSON.stringify([visitorId, access, drawnFor]);
  const action = { type: 'button', action_id: 'watch', block_id: 'b', value };
  return pressOf('watch', value, {
    user: { id: by, team_id: 'T0ACME00000' },
    channel: { id: SUPPORT },
    trigger_id: crypto.randomUUID(),
    actions: [{ ...action, action_ts: String(Date.now() / 1_000 - secondsAgo) }],
    ...more,
  });
}

interface PressOptions {
  readonly access?: string;
  readonly drawnFor?: string;
  readonly by?: string;
  readonly secondsAgo?: number;
  readonly channel?: object | undefined;
  readonly response_url?: string;
}

export const sendPress = (sandbox: Sandbox, ...press: Parameters<typeof pressBy>) =>
  sendInteraction(sandbox, pressBy(...press));

/**
 * Changes something in Slack that it tells the app of, and waits until the app has heard: from then on it asks
 * anew what it asked for in the last seconds.
 */
export async function told({ calls }: Sandbox['slack'], change: () => unknown): Promise<void> {
  const heard = () => calls.filter(({ method }) => method === 'ack').length;
  const before = heard();
  await change();
  await expect.poll(heard).toBeGreaterThan(before);
}
