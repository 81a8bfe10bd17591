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

  it('keeps the agent from hidden fields, files and windows, and says why', async () => {
    const { agent, visitor, agree, lend, placeOf } = await openTwoPages(browser());
    await visitor.evaluate(`document.querySelector('main').insertAdjacentHTML('afterbegin',
      '<input type="file" id="file" aria-label="File"><a id="window" target="_blank" href="/help">Terms</a>' +
      '<button id="off" disabled>Off</button>')`);
    await agree();
    await lend();
    for (const [selector, words] of [
      ['#card', 'Only Jane can type here'],
      ['label[for="card"]', 'Only Jane can type here'],
      ['#file', 'Only Jane can choose a file'],
      ['#window', 'It opens a window'],
      ['#off', 'It’s disabled on the page'],
    ] as const) {
      const { x, y } = await placeOf(selector);
      await agent.mouse.click(x, y);
      await agent.getByText(words).waitFor();
      await agent.getByRole('button', { name: 'Pointer' }).click();
      await agent.getByRole('button', { name: 'Control' }).click();
    }
    expect(await visitor.getByLabel('Card number').inputValue()).toBe('');
  });

  it('gives control back with one key, and answers its questions only to the visitor’s hand', async () => {
    const { agent, visitor, agree, lend, placeOf, banner } = await openTwoPages(browser());
    await visitor.evaluate(
      `for (const root of window.testRoots) for (const button of root.querySelectorAll('button')) button.click()`,
    );
    await agent.getByText('to agree').waitFor();
    await agree();
    await lend();
    await banner.says('Sam Lee has control');
    await visitor.evaluate(
      `document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))`,
    );
    await banner.says('Sam Lee has control');
    await visitor.keyboard.press('Escape');
    await banner.says('Sam Lee can see this page');
    await agent.getByText('took control back').waitFor();
    const { x, y } = await placeOf('#terms');
    await agent.mouse.click(x, y);
    await agent.getByText('Highlighted for Jane').waitFor();
    expect(await visitor.getByRole('checkbox').isChecked()).toBe(false);
  });

  it('continues after a reload on either side, without asking again, until the agent ends it', async () => {
    const { agent, visitor, agree, picture, banner, service, complaints } = await openTwoPages(browser(), {
      // Beside other work a browser may take longer than the usual two seconds for it.
      service: { pageClosedMs: 60_000 },
    });
    await agree();
    await agent.reload();
    await agent.getByText('Live', { exact: true }).waitFor();
    await picture.getByRole('heading', { name: 'Checkout' }).waitFor();
    await visitor.reload();
    await banner.says('Sam Lee can see this page');
    await visitor.getByLabel('Voucher').fill('AGAIN');
    await eventually(() => picture.getByLabel('Voucher').inputValue(), 'AGAIN');
    expect(service.sessions().filter(({ ended_at: end }) => end === null)).toHaveLength(1);
    await agent.getByRole('button', { name: 'End session' }).click();
    await banner.says('can’t see this page anymore');
    expect(complaints).toEqual([]);
  });

  it('says on both sides that a connection is lost, and continues when it is back', async () => {
    const { agent, visitor, agree, picture, banner, service, lines } = await openTwoPages(browser());
    await agree();
    for (const [side, words] of [
      ['visitor', 'Waiting for Jane’s page'],
      ['agent', 'Reconnecting…'],
    ] as const) {
      lines[side].cut();
      await agent.getByText(words, { exact: true }).waitFor();
      await banner.says(side === 'visitor' ? 'Reconnecting…' : 'Sam Lee is reconnecting…');
      const saying = (said: string) => agent.getByRole('status').filter({ hasText: said }).waitFor();
      if (side === 'agent') await saying('The connection is lost. Trying again…');
      await visitor.getByLabel('Voucher').fill(side);
      lines[side].mend();
      if (side === 'agent') await saying('Connected again.');
      await agent.getByText('Live', { exact: true }).waitFor();
      await eventually(() => picture.getByLabel('Voucher').inputValue(), side);
      await banner.says('Sam Lee can see this page');
    }
    expect(service.sessions()[0]?.ended_at).toBeNull();
  });
});
