import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Asked, Between } from './front.ts';
import type { Store } from './store.ts';
import type { WebhookTry } from './webhook-receiver.ts';

/** Faults that are planted around a sound app, to see whether the verdict names them: of the first two one at a time. */
export const PLANTS = [
  'wrong-channel',
  'card-left',
  'early-acknowledgement',
  'link-left-open',
  'paused-gets-posts',
  'webhook-dropped',
  'webhook-id-changes',
] as const;
export type Plant = (typeof PLANTS)[number];

/** Slack's library sends a form. */
function withForm(asked: Asked, change: (form: URLSearchParams) => void): Asked {
  const form = new URLSearchParams(asked.body.toString());
  change(form);
  return { ...asked, body: Buffer.from(form.toString()) };
}

/** Between the app and Slack. */
export function plantBeforeSlack(plants: readonly Plant[], wrongChannel: string): Between | undefined {
  if (plants.includes('wrong-channel'))
    return (asked, passOn) =>
      passOn(
        asked.path.endsWith('/chat.postMessage')
          ? withForm(asked, (form) => {
              form.set('channel', wrongChannel);
              form.delete('thread_ts');
            })
          : asked,
      );
  // What was to take the place of a card comes beside it, as a message of its own.
  if (plants.includes('card-left'))
    return (asked, passOn) =>
      passOn(
        asked.path.endsWith('/chat.update')
          ? withForm({ ...asked, path: asked.path.replace('chat.update', 'chat.postMessage') }, (form) =>
              form.delete('ts'),
            )
          : asked,
      );
  return undefined;
}

/** Between the app and the receiver of its webhooks. */
export function plantBeforeReceiver(
  plants: readonly Plant[],
): ((one: WebhookTry) => WebhookTry | undefined) | undefined {
  if (plants.includes('webhook-dropped'))
    return (one) => (one.body.startsWith('{"type":"session.ended"') ? undefined : one);
  if (plants.includes('webhook-id-changes')) {
    const tried = new Set<string>();
    return ({ id, ...one }) => {
      const again = tried.has(id) ? '_again' : '';
      tried.add(id);
      return { ...one, id: id + again };
    };
  }
  return undefined;
}

/** Below the app, in a file of SQLite: no link is closed when its session ends. */
export async function plantInStore(plants: readonly Plant[], { url }: Pick<Store, 'url'>): Promise<void> {
  if (!plants.includes('link-left-open')) return;
  const database = await openDatabase(url);
  await database.write(
    sql`CREATE TRIGGER link_left_open BEFORE UPDATE OF state ON watch_links WHEN NEW.state = 'ended'
      BEGIN SELECT RAISE(IGNORE); END`,
  );
  await database.close();
}

/** In each process of the app, before anything of it is loaded. */
export const preloadsOf = (plants: readonly Plant[]): readonly string[] =>
  plants.includes('early-acknowledgement')
    ? [new URL('processes/early-acknowledgement.ts', import.meta.url).href]
    : [];
