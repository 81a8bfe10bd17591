import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { eventually, openTwoPages } from '../../sandbox/live/two-pages.ts';

describe.skipIf(!hasChromium)('a session in two browsers', () => {
  const browser = useChromium();

  it('shows the agent what the visitor does, but only the allowed part of what is typed', async () => {
    const { visitor, agent, picture, agree, sent, banner, complaints } = await openTwoPages(browser(), {
      path: '/checkout?session_token=query-secret',
    });
    await visitor.getByLabel('Card number').fill('4242 4242 4242 4242');
    await agent.getByText('Waiting for Jane to agree').waitFor();
    // Before the visitor agrees, nothing of the page leaves it.
    expect(sent.filter((text) => !/^\{"t":"(?:hello|beat)"/u.test(text))).toEqual([]);
    await agree();
    await banner.says('Sam Lee can see this page');
    await eventually(() => picture.getByLabel('Card number').inputValue(), '•••• •••• •••• ••••');
    await visitor.getByLabel('Name').pressSequentially('Jane Cooper');
    await visitor.getByLabel('Voucher').fill('SPRING');
    await eventually(() => picture.getByLabel('Voucher').inputValue(), 'SPRING');
    await eventually(() => picture.getByLabel('Name').inputValue(), '•••• ••••••');
    await visitor.getByLabel('Delivery', { exact: true }).selectOption('express');
    await eventually(() => picture.getByLabel('Delivery', { exact: true }).inputValue(), 'express');
    await visitor.getByRole('link', { name: 'Products' }).click();
    await picture.getByRole('heading', { name: 'Things for home and garden' }).waitFor();
    await eventually(
      () => agent.getByLabel('Address of the visitor').inputValue(),
      `${new URL(visitor.url()).host}/products`,
    );
    await visitor.setViewportSize({ width: 620, height: 700 });
    await eventually(() => agent.locator('#stage iframe').getAttribute('width'), '620');
    expect(sent.join('\n')).not.toMatch(/4242|Jane|Cooper|(?:query|order)-secret|can see this page|Stop/u);
    expect(complaints).toEqual([]);
  });

  it('lets the agent click (in shadow trees, too), type, choose, scroll and lead, once the visitor allows it', async () => {
    const { agent, visitor, agree, lend, placeOf, service, complaints } = await openTwoPages(browser(), {
      viewport: { width: 900, height: 620 },
    });
    await visitor.evaluate(`(() => {
      const host = document.createElement('div');
      host.attachShadow({ mode: 'open' }).innerHTML = '<button id="inner">Inside</button>';
      host.shadowRoot.querySelector('button').addEventListener('click', () => document.title = 'pressed');
      document.querySelector('main').prepend(host);
    })()`);
    await agree();
    await lend();
    const click = async (selector: string) => {
      const { x, y } = await placeOf(selector);
      await agent.mouse.click(x, y);
    };
    await click('#inner');
    await expect.poll(() => visitor.title()).toBe('pressed');
    await click('#terms');
    await eventually(() => visitor.getByRole('checkbox').isChecked(), true);
    await click('#voucher');
    await agent.getByRole('textbox', { name: 'Type for the visitor' }).fill('AUTUMN');
    await agent.keyboard.press('Enter');
    await eventually(() => visitor.getByLabel('Voucher').inputValue(), 'AUTUMN');
    await click('#delivery');
    await agent.getByRole('listbox', { name: 'Choose for the visitor' }).selectOption('pickup');
    await agent.keyboard.press('Enter');
    await eventually(() => visitor.getByLabel('Delivery', { exact: true }).inputValue(), 'pickup');
    await visitor.evaluate(`document.querySelector('main').style.minHeight = '3000px'`);
    const { x, y } = await placeOf('#terms');
    await agent.mouse.move(x, y);
    await agent.mouse.wheel(0, 150);
    await expect.poll(() => visitor.evaluate('window.scrollY')).toBeGreaterThan(50);
    const address = agent.getByLabel('Address of the visitor');
    await address.fill(`${new URL(visitor.url()).host}/help`);
    await agent.getByRole('button', { name: 'Go' }).click();
    await visitor.getByRole('heading', { name: 'How can we help?' }).waitFor();
    const used = service.sessions()[0]?.features_used.join();
    for (const feature of ['click', 'redirect', 'scroll', 'type']) expect(used).toContain(feature);
    expect(complaints).toEqual([]);
  });
});
