import type { KnownBlock } from '@slack/types';
import { expect } from 'vitest';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { buttonsIn, readable } from '../support/person.ts';

export const ADA = 'U0ADA000005';

/** Slack shows it while the app gathers. */
const isSkeleton = (blocks: readonly KnownBlock[]) => readable(blocks).includes('Loading');

const buttonIn = (view: Pick<PageView, 'blocks'>, label: RegExp) =>
  buttonsIn(view.blocks).find(({ text, accessibility_label: name }) => label.test(name ?? text.text));

/** A person in the app's Home tab, without a browser. */
export function atHome({ slack }: Pick<Sandbox, 'slack'>, userId: string) {
  const published = () =>
    slack.calls.filter(
      ({ method, args }) => method === 'views.publish' && JSON.stringify(args).includes(`"${userId}"`),
    );

  /** Does something and gives the Home that it led to, once so many views were published, the last with content. */
  async function filledAfter(action: () => Promise<unknown>, views = 2): Promise<readonly KnownBlock[]> {
    const before = published().length;
    await action();
    await expect.poll(() => published().length).toBeGreaterThanOrEqual(before + views);
    return slack.until(userId, ({ home }) => {
      const blocks = home?.view?.blocks;
      return blocks === undefined || isSkeleton(blocks) ? undefined : blocks;
    });
  }

  /** What the Settings button opens. */
  async function menu(): Promise<PageView> {
    await press(/^Settings/);
    return slack.until(userId, ({ views }) => views.find((view) => buttonIn(view, /^Change/) !== undefined));
  }

  /** A button of the Home, or of what its Settings button opens. */
  async function press(label: RegExp): Promise<void> {
    const view = /^\^(Change|Turn)/.test(label.source) ? await menu() : slack.snapshot(userId).home?.view;
    const button = view && buttonIn(view, label);
    if (view === undefined || button === undefined)
      throw new Error(`No button ${String(label)} in the Home.`);
    const { block_id, action_id = '' } = button;
    const source = { type: 'view', view_id: view.id } as const;
    const outcome = await slack.press({ as: userId, source, block_id, action_id });
    if (!outcome.ok) throw new Error(outcome.error);
  }

  const save = (view: PageView, changes: Changes) =>
    slack.submit({ as: userId, view_id: view.id, state: stateOf(view, changes) });

  /**
   * The same where the form is to close. If the machine stands still for two seconds, the app can only say that it is
   * saving, and then that it has saved: that view is closed here, as the person would. One that stays for another
   * reason is left.
   */
  async function submitted(view: PageView, changes: Changes): Promise<void> {
    await save(view, changes);
    const isSaving = ({ id, blocks }: PageView) => id === view.id && readable(blocks).includes('Saving…');
    if (!slack.snapshot(userId).views.some(isSaving)) return;
    const told = await slack.until(userId, ({ views }) =>
      views.find((shown) => shown.id === view.id && !isSaving(shown)),
    );
    if (/Settings saved|Applies immediately|Applies to new/.test(readable(told.blocks)))
      await slack.closeView({ as: userId, view_id: view.id });
  }

  return {
    /** The views published for this person, oldest first, as JSON. */
    published: () => published().map(({ args }) => JSON.stringify(args)),
    open: () => filledAfter(() => slack.openHome({ as: userId })),
    refresh: () => filledAfter(() => press(/^Refresh/)),
    filledAfter,
    press,
    /** Presses a button and gives the modal that it led to, once it says this. */
    async pressFor(label: RegExp, words: RegExp): Promise<PageView> {
      await press(label);
      // A form takes the place of the menu that led to it.
      return slack.until(userId, ({ views }) =>
        views.find((view) => words.test(readable(view.blocks)) && buttonIn(view, /^Change/) === undefined),
      );
    },
    views: () => slack.snapshot(userId).views,
    /** Submits a form of the settings with these changes. */
    save,
    /** The same where all is right: the form closes, and the Home is drawn anew, without a skeleton. */
    saved: (view: PageView, changes: Changes) => filledAfter(() => submitted(view, changes), 1),
    /** Types into the field that searches, and gives the modal that Enter led to. */
    async search(typed: string, words: RegExp): Promise<PageView> {
      const view = slack.snapshot(userId).home?.view;
      if (view === undefined) throw new Error('There is no Home.');
      const outcome = await slack.press({
        as: userId,
        source: { type: 'view', view_id: view.id },
        block_id: 'home_search',
        action_id: 'home_search',
        state: { ['home_search']: { ['home_search']: { type: 'plain_text_input', value: typed } } },
      });
      if (!outcome.ok) throw new Error(outcome.error);
      return slack.until(userId, ({ views }) => views.find(({ blocks }) => words.test(readable(blocks))));
    },
  };
}

/** By the kind of input, the name of what is filled in. */
const VALUES = new Map([
  ['plain_text_input', 'value'],
  ['static_select', 'selected_option'],
  ['radio_buttons', 'selected_option'],
  ['multi_static_select', 'selected_options'],
  ['conversations_select', 'selected_conversation'],
  ['multi_conversations_select', 'selected_conversations'],
  ['multi_users_select', 'selected_users'],
]);

/** By the form's blocks. */
type Changes = Readonly<Record<string, string | readonly (string | { readonly value: string })[]>>;

function stateOf({ blocks }: PageView, changes: Changes) {
  const filled = Object.entries(changes).map(([id, value]) => {
    const input = blocks.find((block) => block.block_id === id);
    if (input?.type !== 'input' || !('action_id' in input.element)) throw new Error(`No field ${id}.`);
    const { type, action_id = '' } = input.element;
    const name = VALUES.get(type) ?? '';
    return [id, { [action_id]: { type, [name]: name === 'selected_option' ? { value } : value } }] as const;
  });
  return Object.fromEntries(filled);
}
