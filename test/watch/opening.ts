import { expect } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { WatchRequest } from '../../src/messages/link-request.ts';
import { pressOf, sendInteraction } from '../slack/send-payload.ts';
import { ALEX, SUPPORT, personIn, readable } from '../support/person.ts';
import { order } from './stage.ts';

/** As a browser opens an address, without following it. */
export const open = (address: string | URL, init: RequestInit = {}) =>
  fetch(address, { redirect: 'manual', ...init });

/** A Watch address of an app with these settings, without a command before it. */
export function watchAddress(
  { publicUrl, config }: Pick<Sandbox, 'publicUrl' | 'config'>,
  more: Partial<WatchRequest> = {},
): string {
  const tickets = createTickets(config.secretKeys)('watch', WatchRequest);
  return `${publicUrl}/watch/${tickets.issue({ ...order, ...more }, 60_000)}`;
}

/** What somebody is offered who wants to watch, and the address of its button. */
export async function watchOf(sandbox: Pick<Sandbox, 'slack'>, visitorId: string, userId: string = ALEX) {
  const person = personIn(sandbox, userId);
  const offer = await person.type(`/cobrowse watch ${visitorId}`);
  return { person, offer, address: person.button(offer, /^Watch/).url ?? '' };
}

/** Presses Watch without its page. @param later_ms from now: within a second of another it's a double click */
export function pressWatch({ slack }: Sandbox, offer: PageMessage, later_ms = 0, as: string = ALEX) {
  const { block_id, action_id = '' } = personIn({ slack }, as).button(offer, /^Watch/);
  const source = { type: 'message', channel: offer.channel, ts: offer.ts } as const;
  return slack.press({ as, source, block_id, action_id, later_ms });
}

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

interface PressOptions {
  readonly access?: string;
  readonly drawnFor?: string;
  readonly by?: string;
  readonly secondsAgo?: number;
  readonly channel?: object | undefined;
}

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

/** Fills in the form of Start co-browsing, and returns what takes its place. Slack lets nobody be chosen who wasn't suggested. */
export async function startAs(
  { slack }: Sandbox,
  as: string,
  {
    visitor,
    access = 'full',
    channel,
  }: { readonly visitor: string; readonly access?: string; readonly channel?: string | undefined },
) {
  const person = personIn({ slack }, as);
  const before = new Set(person.views().map(({ id }) => id));
  await slack.globalShortcut({ as, callback_id: 'start_cobrowsing' });
  const form = await person.modal((view) => view.submit === 'Continue' && !before.has(view.id));
  const search = { block_id: 'visitor', action_id: 'visitor_search', value: visitor.slice(0, 4) };
  await slack.suggest({ as, source: { type: 'view', view_id: form.id }, ...search });
  const state = {
    visitor: { visitor_search: { type: 'external_select', selected_option: { value: visitor } } },
    access: { value: { type: 'radio_buttons', selected_option: { value: access } } },
    channel: { value: { type: 'conversations_select', selected_conversation: channel ?? null } },
  };
  const outcome = await slack.submit({ as, view_id: form.id, state });
  if (!outcome.ok) throw new Error(outcome.error);
  return person.modal(
    (view) => view.id === form.id && view.submit === undefined && !readable(view.blocks).includes('Loading'),
  );
}
