import type { Button, KnownBlock, Overflow, StaticSelect } from '@slack/types';
import type { ChartBlock } from '../../src/messages/chart.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage, PageView, Snapshot } from '../../sandbox/slack/page-api.ts';
import { answerFollows } from '../../src/messages/message.ts';
import { unlessLost } from './lost.ts';
import { problemsIn } from './shown.ts';

export const ALEX = 'U0ALEX00001';
export const SAM = 'U0SAM000002';
export const KIM = 'U0KIM000003';
export const SUPPORT = 'C0SUPPORT01';
export const SALES = 'C0SALES0002';

/** What of customers the service was asked since then: who a person is to it is looked up ahead, for a press to come. */
export const askedSince = ({ service }: Pick<Sandbox, 'service'>, from: number): readonly string[] =>
  service.requests
    .slice(from)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((line) => !line.includes('/agents/lookup'));

/** What a person is told where the answer takes longer than two seconds, as it may beside other work. */
const STILL = new Set(['Still working on it…', answerFollows.text]);
const isStill = (text: string) => STILL.has(text);

/** All text a person reads in these blocks. */
export function readable(blocks: readonly object[]): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        // The name of a column.
        if (key === 'text' && typeof inner === 'string') texts.push(inner.replace(/^\*(.+)\*$/, '$1: '));
        else if (key === 'user_id' && typeof inner === 'string') texts.push(`<@${inner}>`);
        else if (key !== 'value' && key !== 'action_id' && key !== 'url') collect(inner);
      }
    }
  };
  collect(blocks);
  // Without the space after an emoji at the start.
  return texts.join('').trimStart();
}

/** What the table of a message reads, row by row; the first has the heads. */
export const rowsIn = (blocks: readonly (KnownBlock | ChartBlock)[]): readonly (readonly string[])[] =>
  blocks.flatMap((block) =>
    block.type === 'data_table' ? block.rows.map((row) => row.map((cell) => readable([cell]))) : [],
  );

const isStillShown = ({ blocks }: PageView) => isStill(readable(blocks));

export function buttonsIn(
  blocks: readonly (KnownBlock | ChartBlock)[],
): readonly (Button & { readonly block_id: string })[] {
  return elementsIn(blocks).flatMap((inner) => (inner.type === 'button' ? [inner] : []));
}

/** Buttons and menus in the order they're shown: beside a section, or in a row. */
function elementsIn(
  blocks: readonly (KnownBlock | ChartBlock)[],
): readonly ((Button | Overflow | StaticSelect) & { readonly block_id: string })[] {
  return blocks.flatMap(({ block_id = '', ...block }) => {
    const all = block.type === 'actions' ? block.elements : block.type === 'section' ? [block.accessory] : [];
    return all.flatMap((inner) =>
      inner?.type === 'button' || inner?.type === 'static_select' || inner?.type === 'overflow'
        ? [{ ...inner, block_id }]
        : [],
    );
  });
}

/** The choices of the menus in these blocks, as they read. */
export function choicesIn(blocks: readonly (KnownBlock | ChartBlock)[]): readonly string[] {
  return elementsIn(blocks).flatMap((inner) =>
    inner.type === 'static_select' ? (inner.options ?? []).map(({ text }) => text.text) : [],
  );
}

/** What is sent for the first choice of such a name, and its address if it has one: in a list, or behind “…”. */
function optionIn(
  blocks: readonly KnownBlock[],
  label: RegExp,
  menu: 'static_select' | 'overflow' = 'static_select',
) {
  for (const inner of elementsIn(blocks)) {
    if (inner.type !== menu) continue;
    const option = inner.options?.find(({ text }) => label.test(text.text));
    if (option === undefined) continue;
    const { block_id, action_id = '' } = inner;
    const selected_option = { value: option.value };
    const url = 'url' in option ? (option.url ?? '') : '';
    return { url, picked: { block_id, action_id, selected_option } };
  }
  throw new Error(`No choice ${String(label)} in: ${readable(blocks)}`);
}

function element(blocks: readonly KnownBlock[], label: RegExp) {
  const found = buttonsIn(blocks).find(({ text, accessibility_label: name }) =>
    label.test(name ?? text.text),
  );
  if (found === undefined) throw new Error(`No button ${String(label)} in: ${readable(blocks)}`);
  return found;
}

function sound(message: PageMessage): PageMessage {
  const { text, blocks } = message;
  const problems = message.from_slack ? [] : problemsIn({ surface: 'message', payload: { text, blocks } });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return message;
}

const placeOf = (shown: PageMessage | Pick<PageView, 'id'>) =>
  'ts' in shown
    ? ({ type: 'message', channel: shown.channel, ts: shown.ts } as const)
    : ({ type: 'view', view_id: shown.id } as const);

/** The page as it is, or where it asks whether to open one's own screen again, what the answer brings: another link. */
export async function anotherLink(opened: Response): Promise<Response> {
  const [, action] = /<h1>Open it again\?<.* action="([^"]+)"/s.exec(await opened.clone().text()) ?? [];
  if (action === undefined) return opened;
  return fetch(new URL(action, opened.url), { method: 'POST', redirect: 'manual' });
}

/** How often Watch was pressed in a Slack. */
const watched = new WeakMap<object, number>();

/** A person at the sandbox page, without a browser. Each message seen must pass the Block Kit validator. */
export function personIn(
  { slack }: Pick<Sandbox, 'slack'>,
  userId: string = ALEX,
  channelId: string = SUPPORT,
) {
  /** The first of Slack's calls that can be about what this person did last. */
  let from = slack.calls.length;

  /** Does something that Slack's client must let one do. */
  async function must(action: () => ReturnType<typeof slack.press>): Promise<void> {
    from = slack.calls.length;
    const outcome = await action();
    if (!outcome.ok) throw new Error(outcome.error);
  }

  /** Waits for something to show, and fails immediately if Slack refused what would have shown it. */
  const until = <T>(look: (snapshot: Snapshot) => T) => slack.until(userId, unlessLost(slack, from, look));

  /**
   * Does something and returns the message that it led to; for an answer, only a message for this person, and not the
   * one that it takes longer.
   */
  async function seeing(action: () => Promise<unknown>, ephemeral = true): Promise<PageMessage> {
    const seen = new Set(slack.snapshot(userId).messages.map(({ ts }) => ts));
    from = slack.calls.length;
    await action();
    const message = await until(({ messages }) =>
      messages.findLast(
        (one) =>
          one.channel === channelId &&
          one.ephemeral === ephemeral &&
          !seen.has(one.ts) &&
          !(ephemeral && isStill(one.text)),
      ),
    );
    return ephemeral ? sound(message) : message;
  }

  /** What Slack does at a button or choice with an address: sends the press and opens the address, both together. */
  async function open(
    address: string,
    action: Omit<Parameters<typeof slack.press>[0], 'as'>,
  ): Promise<Response> {
    const presses = (watched.get(slack) ?? 0) + 1;
    watched.set(slack, presses);
    const opening = fetch(address, { redirect: 'manual' });
    // Each press is a separate one: within a second of another it would be a double click.
    await must(() => slack.press({ as: userId, ...action, later_ms: presses * 1_000 }));
    return opening;
  }

  /** Presses a button; Slack's own confirmation is the page's business. */
  function press(shown: PageMessage | PageView, label: RegExp): Promise<void> {
    const { block_id, action_id = '' } = element(shown.blocks, label);
    return must(() => slack.press({ as: userId, source: placeOf(shown), block_id, action_id }));
  }

  /** Chooses from a menu that leads to no address. */
  function pick(
    shown: PageMessage | Pick<PageView, 'id' | 'blocks'>,
    ...choice: [label: RegExp, menu?: 'overflow']
  ): Promise<void> {
    const { picked } = optionIn(shown.blocks, ...choice);
    return must(() => slack.press({ as: userId, source: placeOf(shown), ...picked }));
  }

  /** A modal that isn't only the words that it takes longer. */
  const modal = (look: (view: PageView) => boolean): Promise<PageView> =>
    until(({ views }) => views.find((view) => !isStillShown(view) && look(view)));

  const message = (look: (message: PageMessage) => boolean): Promise<PageMessage> =>
    until(({ messages }) => messages.find((one) => look(one)));

  const replaced = ({ ts, text }: PageMessage) =>
    message((one) => one.ts === ts && one.text !== text && !isStill(one.text));

  /** Types into the only field of the form with this title, submits it, and returns what the modal then says. */
  async function fillIn(form: { title: string; block: string }, value: string): Promise<PageView> {
    const view = await modal(({ title, submit }) => title === form.title && submit !== undefined);
    const state = { [form.block]: { value: { type: 'plain_text_input', value } } };
    await must(() => slack.submit({ as: userId, view_id: view.id, state }));
    return modal(
      ({ id, submit, blocks }) =>
        id === view.id && submit === undefined && !readable(blocks).includes('Loading…'),
    );
  }

  return {
    press,
    modal,
    message,
    /** Presses a button with an address, and returns what the browser gets there. */
    watch(shown: PageMessage | PageView, label = /^Watch/): Promise<Response> {
      const { block_id, action_id = '', url = '' } = element(shown.blocks, label);
      return open(url, { source: placeOf(shown), block_id, action_id });
    },
    /** Chooses an entry with an address behind “…”, and returns what the browser gets there. */
    choose(shown: PageMessage | PageView, label: RegExp): Promise<Response> {
      const { url, picked } = optionIn(shown.blocks, label, 'overflow');
      return open(url, { source: placeOf(shown), ...picked });
    },
    /** Chooses an outcome below a summary, and returns the answer. */
    chooseOutcome: (summary: PageMessage, label: RegExp) => seeing(() => pick(summary, label)),
    /** Chooses the outcome "Follow up", and returns what opens. */
    async chooseFollowUp(summary: PageMessage): Promise<PageView> {
      const before = new Set(slack.snapshot(userId).views.map(({ id }) => id));
      await pick(summary, /^Follow up$/);
      return modal(
        ({ id, title, blocks }) =>
          title === 'Follow up' && !before.has(id) && !readable(blocks).includes('Loading'),
      );
    },
    /** Submits a form of a follow-up, by block, and returns what it then says. */
    async fillFollowUp(view: PageView, filled: Readonly<Record<string, string>>): Promise<PageView> {
      const kinds = new Map<string, readonly [string, string]>([
        ['day', ['datepicker', 'selected_date']],
        ['line', ['plain_text_input', 'value']],
        ['person', ['users_select', 'selected_user']],
      ]);
      const state = Object.entries(filled).map(([block, value]) => {
        const [type, name] = kinds.get(block) ?? ['radio_buttons', 'selected_option'];
        const kept = name === 'selected_option' ? { value } : value;
        return [block, { value: { type, [name]: kept } }] as const;
      });
      await must(() => slack.submit({ as: userId, view_id: view.id, state: Object.fromEntries(state) }));
      return modal(
        ({ id, submit, blocks }) =>
          id === view.id && submit === undefined && !readable(blocks).includes('Saving…'),
      );
    },
    /** Presses Add note, types the note and submits it; returns what the modal then says. */
    async addNote(summary: PageMessage, text: string): Promise<PageView> {
      await press(summary, /^Add note/);
      return fillIn({ title: 'Add note', block: 'note' }, text);
    },
    /** Does something of which the app answers in the channel, for this person's eyes. */
    see: (action: () => Promise<unknown>) => seeing(action),
    /** Types a command and returns the answer. */
    type: (text: string) => seeing(() => must(() => slack.command({ as: userId, channel: channelId, text }))),
    say: (text: string) =>
      seeing(() => must(() => slack.message({ as: userId, channel: channelId, text })), false),
    button: (shown: PageMessage | PageView, label: RegExp) => element(shown.blocks, label),
    pressFor: (shown: PageMessage, label: RegExp) => seeing(() => press(shown, label)),
    /** Chooses from a menu of a message, and returns what appears beside it. */
    pickFor: (shown: PageMessage, label: RegExp) => seeing(() => pick(shown, label)),
    /** Chooses from a menu of a modal or of the Home. */
    pickInView: (view: Pick<PageView, 'id' | 'blocks'>, label: RegExp) => pick(view, label),
    /** Presses a button whose answer replaces the message, and returns that. */
    async pressToReplace(shown: PageMessage, label: RegExp): Promise<PageMessage> {
      await press(shown, label);
      return sound(await replaced(shown));
    },
    /** Chooses an entry without an address behind “…”, whose answer replaces the message. */
    async chooseToReplace(shown: PageMessage, label: RegExp): Promise<PageMessage> {
      await pick(shown, label, 'overflow');
      return replaced(shown);
    },
    pressInModal: (view: PageView, label: RegExp) => press(view, label),
    /** Uses a message shortcut; returns the first new modal that `look` accepts. */
    async shortcut(
      { channel, ts: message_ts }: PageMessage,
      callbackId: string,
      look: (view: PageView) => boolean,
    ): Promise<PageView> {
      const before = new Set(slack.snapshot(userId).views.map(({ id }) => id));
      await must(() => slack.shortcut({ as: userId, channel, message_ts, callback_id: callbackId }));
      return modal((view) => !before.has(view.id) && look(view));
    },
    /** Presses the modal's submit button with this typed into the form, and this chosen in it. */
    submit(view: PageView, typed: string, chosen?: string) {
      const choice = { type: 'radio_buttons', selected_option: { value: chosen } };
      const state = {
        text: { value: { type: 'plain_text_input', value: typed } },
        ...(chosen === undefined ? {} : { choice: { value: choice } }),
      };
      from = slack.calls.length;
      return slack.submit({ as: userId, view_id: view.id, state });
    },
    /** Presses a Stop button, submits the form it leads to, and returns what the modal then says. */
    async stop(pressing: () => Promise<void>, reason = ''): Promise<PageView> {
      await pressing();
      return fillIn({ title: 'Stop session', block: 'reason' }, reason);
    },
    views: () => slack.snapshot(userId).views,
    messages: () => slack.snapshot(userId).messages,
    /** A message already in the channel. */
    existing(words: RegExp): PageMessage {
      const found = slack.snapshot(userId).messages.find(({ text }) => words.test(text));
      if (found === undefined) throw new Error(`No message with ${String(words)}`);
      return found;
    },
  };
}
