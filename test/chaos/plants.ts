import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Asked, Between } from './front.ts';
import type { Stage } from './stage.ts';

/** Faults that are planted around a sound app, to see whether the verdict names them. */
export const PLANTS = [
  'wrong-channel',
  'early-acknowledgement',
  'card-left',
  'link-left-open',
  'paused-gets-posts',
] as const;
export type Plant = (typeof PLANTS)[number];

const WEBHOOK = '/webhooks/session-end/';
const COMMIT_MS = 150;

/** Slack's library sends a form. */
function withForm(asked: Asked, change: (form: URLSearchParams) => void): Asked {
  const form = new URLSearchParams(asked.body.toString());
  change(form);
  return { ...asked, body: Buffer.from(form.toString()) };
}

/** Between the app and Slack. */
export function plantBeforeSlack(plant: Plant | undefined, wrongChannel: string): Between | undefined {
  if (plant === 'wrong-channel')
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
  if (plant === 'card-left')
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

/** Below the app, in a file of SQLite: no link is closed when its session ends. */
export async function plantInStore(
  plant: Plant | undefined,
  { storeUrl }: Pick<Stage, 'storeUrl'>,
): Promise<void> {
  if (plant !== 'link-left-open') return;
  const database = await openDatabase(storeUrl);
  await database.write(
    sql`CREATE TRIGGER link_left_open BEFORE UPDATE OF state ON watch_links WHEN NEW.state = 'ended'
      BEGIN SELECT RAISE(IGNORE); END`,
  );
  await database.close();
}

/** Before the app: a webhook is answered while it is still on its way to the disk. */
export function plantBeforeApp(plant: Plant | undefined): Between | undefined {
  if (plant !== 'early-acknowledgement') return undefined;
  return async (asked, passOn) => {
    if (!asked.path.startsWith(WEBHOOK)) return passOn(asked);
    void pause(COMMIT_MS)
      .then(() => passOn(asked))
      .catch(() => undefined);
    return { status: 200, headers: {}, body: Buffer.alloc(0) };
  };
}
