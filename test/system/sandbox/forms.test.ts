import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { alex, input, option, plain, section } from '../../sandbox/slack/tiny-app.ts';
import { useStage, type Answer, type SlackRequest } from '../../sandbox/page/stage.ts';

const modalWith = (...blocks: readonly object[]) => ({
  type: 'modal',
  title: plain('Find visitor'),
  submit: plain('Search'),
  close: plain('Cancel'),
  blocks,
});
const customer = input('Customer', { type: 'plain_text_input' });
const select = { type: 'external_select', action_id: 'it', placeholder: plain('Find a visitor') };

/** Three visitors whose names begin with what is typed. */
const threeOf = ({ type, value }: SlackRequest) =>
  type === 'block_suggestion'
    ? { options: ['one', 'two', 'three'].map((name) => option(`${value} ${name}`)) }
    : {};

describe.skipIf(!hasChromium)('forms on the sandbox page', () => {
  const browser = useChromium();
  const stage = useStage(browser);

  const role = (...named: Parameters<ReturnType<typeof stage>['page']['getByRole']>) =>
    stage().page.getByRole(...named);
  const submit = async () => {
    await role('button', { name: 'Search' }).click();
    await role('dialog').waitFor({ state: 'detached' });
    return stage().requests.at(-1)?.view?.state;
  };
  const customerField = () => role('textbox', { name: 'Customer' });
  const update = (...blocks: readonly object[]) => {
    const [view] = stage().slack.snapshot(alex).views;
    return stage().call('views.update', { view_id: view?.id, view: modalWith(...blocks) });
  };

  it("opens a modal from a message's menu, keeps what is typed when the app changes it, and submits that", async () => {
    await stage().openModal(modalWith(customer));
    await customerField().fill('jan');
    await update(section('Two customers were named.'), customer);
    await stage().page.getByText('Two customers were named.').waitFor();
    expect(await customerField().inputValue()).toBe('jan');
    expect(await submit()).toEqual({
      values: { Customer: { it: { type: 'plain_text_input', value: 'jan' } } },
    });
  });

  const open = (answer: Answer = threeOf) => stage().openModal(modalWith(input('Visitor', select)), answer);
  const field = () => role('combobox', { name: 'Visitor' });
  const options = () => role('option');
  const said = (words: string) => role('status').filter({ hasText: words });
  const asked = () =>
    stage().requests.flatMap(({ type, value }) => (type === 'block_suggestion' ? value : []));

  it('has a type-ahead that is used by keyboard alone, and its choice is submitted', async () => {
    await open();
    await field().pressSequentially('ja');
    await said('Type at least 3 characters.').waitFor();
    await field().pressSequentially('n');
    await said('3 options').waitFor();
    expect(await field().getAttribute('aria-expanded')).toBe('true');
    await field().press('ArrowDown');
    const marked = await field().getAttribute('aria-activedescendant');
    expect(await stage().page.locator(`[id="${marked}"]`).textContent()).toContain('jan two');
    await field().press('Enter');
    expect(await field().inputValue()).toBe('jan two');
    expect(await field().getAttribute('aria-expanded')).toBe('false');
    const selected_option = option('jan two');
    expect(await submit()).toEqual({ values: { Visitor: { it: { type: select.type, selected_option } } } });
  });

  it('never shows an older answer of a type-ahead over a newer one', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await open(async (request) => {
      if (request.value === 'jan') await held;
      return threeOf(request);
    });
    const late = stage().page.waitForResponse(
      (response) => response.request().postData()?.includes('"jan"') === true,
    );
    await field().fill('jan');
    await expect.poll(() => asked().includes('jan')).toBe(true);
    await field().fill('omar');
    await options().filter({ hasText: 'omar one' }).waitFor();
    release();
    await (await late).finished();
    await stage().page.evaluate('new Promise(requestAnimationFrame)');
    expect((await options().allTextContents()).map((words) => words.trim())).toEqual([
      'omar one',
      'omar two',
      'omar three',
    ]);
  });
});
