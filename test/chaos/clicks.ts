import { setTimeout as pause } from 'node:timers/promises';
import type { KnownBlock } from '@slack/types';
import type { PressSource, Snapshot } from '../../sandbox/slack/page-api.ts';
import { buttonsIn } from '../support/person.ts';
import type { Fate } from './fate.ts';
import { numberIn } from './posts.ts';
import { emailOf, type Stage } from './stage.ts';

const LOOK_EVERY_MS = 50;
const LOOK_FOR_MS = 2_000;
const ANSWER_WITHIN_MS = 5_000;
/** Source: docs.slack.dev/interactivity/handling-user-interaction, `trigger_id`. */
const TRIGGER_MS = 3_000;
/** An address that was opened too often without a press opens nothing any more. */
const OPENINGS = 2;

/** A Watch button that somebody sees. */
interface Drawn {
  readonly source: PressSource;
  readonly blockId: string;
  readonly actionId: string;
  readonly url: string;
}

/** The Watch button of this visitor, and no other's. */
function watchIn(
  blocks: readonly KnownBlock[],
  { number }: Pick<Fate, 'number'>,
  source: PressSource,
): Drawn | undefined {
  const found = buttonsIn(blocks).find(
    ({ action_id: action, accessibility_label: label = '' }) =>
      action === 'watch' && numberIn(label) === number,
  );
  return found && { source, blockId: found.block_id, actionId: 'watch', url: found.url ?? '' };
}

/** How much there is that one person alone sees, Slack's own words included. */
const countAnswers = ({ messages }: Snapshot) => messages.filter(({ ephemeral }) => ephemeral).length;

/** The question about a link that was made before and never arrived, with where its button leads. */
const QUESTION = /<h1>Open it again\?<\/h1>.* action="([^"]+)"/su;

async function visit(address: string, method: 'GET' | 'POST' = 'GET'): Promise<string | undefined> {
  try {
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const [, another] = QUESTION.exec(await response.text()) ?? [];
    if (another !== undefined) return await visit(new URL(another, address).href, 'POST');
    return response.headers.get('location') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where a person asks for a visitor: by a command in a channel, at a message, or with the global shortcut. */
export function createClicks(
  { slack, time }: Pick<Stage, 'slack' | 'time'>,
  threads: ReadonlyMap<string, string>,
) {
  /** Looks until there is something to see, or until an answer came that is something else. */
  async function look<T>(userId: string, see: (snapshot: Snapshot) => T | undefined): Promise<T | undefined> {
    const before = countAnswers(slack.snapshot(userId));
    const until = performance.now() + LOOK_FOR_MS;
    for (;;) {
      const snapshot = slack.snapshot(userId);
      const seen = see(snapshot);
      if (seen !== undefined || countAnswers(snapshot) > before || performance.now() > until) return seen;
      await pause(LOOK_EVERY_MS);
    }
  }

  async function byCommand(fate: Fate, channel: string): Promise<Drawn | undefined> {
    const { userId, visitorId } = fate;
    const before = new Set(slack.snapshot(userId).messages.map(({ ts }) => ts));
    const asking = slack.command({ as: userId, channel, text: `/cobrowse find ${emailOf(visitorId)}` });
    const found = await look(userId, ({ messages }) => {
      for (const { ts, blocks, ephemeral, ...message } of messages) {
        if (!ephemeral || message.channel !== channel || before.has(ts)) continue;
        const drawn = watchIn(blocks, fate, { type: 'message', channel, ts });
        if (drawn !== undefined) return drawn;
      }
      return undefined;
    });
    await asking;
    return found;
  }

  /** Opens a modal, fills it in, and gives the button that it leads to. */
  async function byModal(
    { userId, ...fate }: Fate,
    begin: () => Promise<unknown>,
    fill: (viewId: string) => Promise<unknown>,
  ): Promise<Drawn | undefined> {
    const before = new Set(slack.snapshot(userId).views.map(({ id }) => id));
    const opening = begin();
    const form = await look(userId, ({ views }) =>
      views.find(({ id, submit }) => !before.has(id) && submit !== undefined),
    );
    await opening;
    if (form === undefined) {
      // It may still open, for as long as Slack takes a trigger, and would be filled in as if it were the next one.
      await pause(TRIGGER_MS);
      return undefined;
    }
    const filling = fill(form.id);
    const found = await look(userId, ({ views }) => {
      const results = views.find(({ id }) => id === form.id);
      return results && watchIn(results.blocks, fate, { type: 'view', view_id: form.id });
    });
    await filling;
    return found;
  }

  const byMessage = (fate: Fate, channel: string, ts: string) =>
    byModal(
      fate,
      () => slack.shortcut({ as: fate.userId, channel, message_ts: ts, callback_id: 'find_visitor' }),
      (view_id) => {
        const typed = { type: 'plain_text_input', value: emailOf(fate.visitorId) };
        return slack.submit({
          as: fate.userId,
          view_id,
          state: { text: { value: typed } },
        });
      },
    );

  const byGlobalShortcut = ({ userId: as, visitorId, ...fate }: Fate) =>
    byModal(
      { userId: as, visitorId, ...fate },
      () => slack.globalShortcut({ as, callback_id: 'start_cobrowsing' }),
      async (view_id) => {
        const field = { block_id: 'visitor', action_id: 'visitor_search' };
        await slack.suggest({ as, source: { type: 'view', view_id }, ...field, value: emailOf(visitorId) });
        const state = {
          visitor: {
            visitor_search: { type: 'external_select', selected_option: { value: visitorId } },
          },
          access: {
            value: { type: 'radio_buttons', selected_option: { value: 'full' } },
          },
          channel: {
            value: { type: 'conversations_select', selected_conversation: null },
          },
        };
        await slack.submit({ as, view_id, state });
      },
    );

  async function draw(fate: Fate): Promise<Drawn | undefined> {
    const { channelId, inThread } = fate;
    if (channelId === undefined) return byGlobalShortcut(fate);
    const thread = inThread ? threads.get(channelId) : undefined;
    return thread === undefined ? byCommand(fate, channelId) : byMessage(fate, channelId, thread);
  }

  /** Slack tells of the press and opens the address, both at once. @returns the link */
  async function press(as: string, { source, blockId, actionId, url }: Drawn): Promise<string | undefined> {
    const [link] = await Promise.all([
      visit(url).then((first) => first ?? visit(url)),
      slack.press({ as, source, block_id: blockId, action_id: actionId }),
    ]);
    return link;
  }

  /** A person has one modal at a time. */
  const busy = new Map<string, Promise<unknown>>();
  async function inTurn<T>(userId: string, action: () => Promise<T>): Promise<T> {
    const before = busy.get(userId);
    const own = (async () => {
      await before?.catch(() => undefined);
      return action();
    })();
    busy.set(userId, own);
    return own;
  }

  async function open(fate: Fate): Promise<string | undefined> {
    const drawn = await draw(fate);
    if (drawn === undefined) return undefined;
    for (let opening = 0; opening < OPENINGS; opening += 1) {
      const link = await press(fate.userId, drawn);
      if (link !== undefined) return link;
    }
    return undefined;
  }

  async function closeAll(as: string): Promise<void> {
    for (const { id } of slack.snapshot(as).views.toReversed()) await slack.closeView({ as, view_id: id });
  }

  return {
    /** Asks for a visitor and presses Watch, once or twice. @returns the link, where the browser was led to one */
    watch(fate: Fate): Promise<string | undefined> {
      const isByCommand = fate.channelId !== undefined && !fate.inThread;
      const action = () => time.slowly(() => open(fate));
      if (isByCommand) return action();
      return inTurn(fate.userId, async () => {
        const link = await action();
        await closeAll(fate.userId);
        return link;
      });
    },
  };
}
