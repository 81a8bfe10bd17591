import { describe, expect, it } from 'vitest';
import type { PageView } from '../../src/sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, SUPPORT, personIn, readable } from '../support/person.ts';

const { sandbox } = checkedSandbox();
const isForm = (view: PageView) => view.submit === 'Continue';

async function openForm(): Promise<PageView> {
  const alex = personIn(sandbox());
  const before = new Set(alex.views().map(({ id }) => id));
  await sandbox().slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
  return alex.modal((view) => isForm(view) && !before.has(view.id));
}

function suggest(view: PageView, value: string) {
  const source = { type: 'view', view_id: view.id } as const;
  return sandbox().slack.suggest({
    as: ALEX,
    source,
    block_id: 'visitor',
    action_id: 'visitor_search',
    value,
  });
}

/** Chooses what was suggested, as the page does: Slack lets nothing else be chosen. */
async function submit(view: PageView, filled: { visitor: string; power?: string; channel?: string }) {
  const { visitor, power, channel } = filled;
  await suggest(view, visitor.slice(0, 4));
  const state = {
    visitor: {
      visitor_search: {
        type: 'external_select',
        selected_option: { value: visitor },
      },
    },
    power: { power_value: { type: 'radio_buttons', selected_option: { value: power ?? 'full' } } },
    channel: { channel_value: { type: 'conversations_select', selected_conversation: channel ?? null } },
  };
  const outcome = await sandbox().slack.submit({ as: ALEX, view_id: view.id, state });
  if (!outcome.ok) throw new Error(outcome.error);
}

describe('the shortcut Start co-browsing', () => {
  it('finds visitors while one types', async () => {
    const form = await openForm();
    expect(JSON.stringify(await suggest(form, 'jane'))).toContain('Jane Cooper, jane@acme.com (online)');
    expect(JSON.stringify(await suggest(form, 'zzzz'))).not.toContain('(online)');
  });

  it('gives a Watch button with the chosen power, whose card goes to the chosen channel', async () => {
    const alex = personIn(sandbox());
    const form = await openForm();
    await submit(form, { visitor: 'jane4821', power: 'view', channel: SUPPORT });
    const offer = await alex.modal(
      (view) => view.id === form.id && readable(view.blocks).includes('Jane Cooper'),
    );
    expect(readable(offer.blocks)).toContain('Watch grants view only.');
    expect(JSON.stringify(offer.blocks)).toContain(SUPPORT);
    await alex.watch(offer);
    const card = await alex.message(({ text }) => text.includes('was given a link'));
    expect(card.channel).toBe(SUPPORT);
    expect(card.text).toContain('Granted: view only');
  });

  it('sends the summary by direct message where no channel was chosen, or where the app is not in it', async () => {
    const alex = personIn(sandbox());
    for (const channel of [undefined, SALES]) {
      const form = await openForm();
      await submit(form, { visitor: 'priya55', ...(channel === undefined ? {} : { channel }) });
      const offer = await alex.modal(
        (view) => view.id === form.id && readable(view.blocks).includes('Priya'),
      );
      const link = await alex.watch(offer);
      const session = await sandbox().service.openWatchLink(link.headers.get('location') ?? '');
      await sandbox().service.endSession(session.id);
      const dm = await alex.message(
        ({ text, channel: at }) =>
          at.startsWith('D') &&
          text.includes('Priya') &&
          text.includes('could not be posted') === (channel !== undefined),
      );
      expect(dm.text).toContain('Co-browsing session ended');
    }
  });
});
