import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareStage } from './stage.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const query = {
  type: 'input',
  block_id: 'query',
  label: plain('Customer'),
  element: { type: 'plain_text_input', action_id: 'text' },
};
const modalWith = (blocks: readonly object[]) => ({
  type: 'modal',
  title: plain('Find visitor'),
  submit: plain('Search'),
  close: plain('Cancel'),
  blocks,
});

describe.skipIf(!hasChromium)('a modal on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const openModal = async (blocks: readonly object[]) => {
    stage().answerWith(async ({ type, trigger_id, view }) => {
      if (type === 'message_action')
        await stage().call('views.open', { trigger_id, view: modalWith(blocks) });
      const isWrong = JSON.stringify(view?.state ?? {}).includes('wrong');
      return isWrong ? { response_action: 'errors', errors: { query: 'No such customer.' } } : {};
    });
    const customer = stage().page.getByRole('article').filter({ hasText: 'stuck at checkout' });
    await customer.getByRole('button', { name: 'More actions' }).press('Enter');
    await stage().page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
    await stage().page.getByRole('dialog', { name: 'Find visitor' }).waitFor();
  };
  const update = (blocks: readonly object[]) => {
    const viewId = stage().slack.snapshot('U0ALEX00001').views[0]?.id;
    return stage().call('views.update', { view_id: viewId, view: modalWith(blocks) });
  };
  const field = () => stage().page.getByRole('textbox', { name: 'Customer' });
  const submit = () => stage().page.getByRole('button', { name: 'Search' }).click();
  const gone = () => stage().page.getByRole('dialog').waitFor({ state: 'detached' });

  it("opens from a message's menu and submits what was typed", async () => {
    await openModal([query]);
    await field().fill('jane');
    await submit();
    await gone();
    expect(stage().requests.at(-1)?.view?.state).toEqual({
      values: { query: { text: { type: 'plain_text_input', value: 'jane' } } },
    });
  });

  it('keeps what is typed when the app changes the view', async () => {
    await openModal([query]);
    await field().fill('jan');
    await update([{ type: 'section', text: plain('Two customers were named.') }, query]);
    await stage().page.getByText('Two customers were named.').waitFor();
    expect(await field().inputValue()).toBe('jan');
  });

  it('moves the focus to the first input once there is one, and back when Escape closes it', async () => {
    await openModal([{ type: 'section', text: plain('Loading') }]);
    await update([query]);
    await field().waitFor();
    expect(await field().evaluate((element) => element.matches(':focus'))).toBe(true);
    await stage().page.keyboard.press('Escape');
    await gone();
    expect(await stage().page.locator(':focus').getAttribute('aria-label')).toBe('More actions');
  });
});
