import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SALES, SAM, buttonsIn, personIn, readable } from '../support/person.ts';

describe('/cobrowse visitor', () => {
  const { sandbox } = checkedSandbox();

  it('shows all that is known of one visitor', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse visitor jane4821');
    const text = readable(blocks);
    for (const part of [
      'Jane Cooper · jane@acme.com',
      'Page: /checkout',
      'Denver, United States · Chrome on Mac',
      'Lookup code: 4821 · Tags: vip, checkout',
      'First seen:',
      'Id: jane4821',
    ]) {
      expect(text).toContain(part);
    }
    expect(buttonsIn(blocks).map((button) => button.text.text)).toEqual(['Watch']);
  });

  it('shows further identities', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse visitor Xq9Z');
    expect(text).toContain('Other names: sofia@globex.example');
  });

  it('shows a visitor of whom nothing is known by its id', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse visitor anon');
    expect(text).toContain('Visitor anon');
    expect(text).not.toMatch(/null|undefined|NaN|Invalid/);
  });

  it('is what Details leads to, beside the list', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find jane');
    const details = await alex.pressFor(list, /^Details of Jane Park/);
    expect(details.text).toContain('Id: janepark');
    expect(alex.messages()).toContainEqual(list);
  });

  it('answers in words where the visitor is gone by the time Details is pressed', async () => {
    sandbox().service.addVisitor({ short_id: 'fleeting', identities: ['Flee Ting'], is_online: false });
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find fleeting');
    const { url, apiKey } = sandbox().service;
    await fetch(`${url}/v1.3/visitors/fleeting`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    const answer = await alex.pressFor(list, /^Details/);
    expect(answer.text).toContain('No visitor has the ID fleeting.');
    expect(answer.text).toContain('/cobrowse find');
  });

  it.each(['..', '.', '%2e%2e', 'a/b', 'a?b=c', '😀', '<@U0SAM000002>'])(
    'shows no card by the odd id %s',
    async (id) => {
      const { text } = await personIn(sandbox()).type(`/cobrowse visitor ${id}`);
      expect(text).toMatch(/^No customer matches |^Customers 1 to 6 of 12 matching \./);
    },
  );

  it.each(['Jane Cooper', 'jane@acme.com', '4821', 'cooper'])(
    'takes what fits one visitor, as an id: %s',
    async (typed) => {
      const { text } = await personIn(sandbox()).type(`/cobrowse visitor ${typed}`);
      expect(text).toContain('Id: jane4821');
      expect(text).toContain('Pages seen');
    },
  );

  it('lists those who fit, each with Details, where there are several', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse visitor jane');
    expect(list.text).toContain('2 customers matching jane. Whose details?');
    expect(buttonsIn(list.blocks).map((button) => button.text.text)).toEqual(['Details', 'Details']);
    expect((await alex.pressFor(list, /^Details of Jane Cooper/)).text).toContain('Id: jane4821');
  });

  it('answers with usage when the id is missing', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse visitor');
    expect(text).toContain('Which customer? Try /cobrowse visitor jane.');
    expect(text).toContain('/cobrowse visitor <name, email or id>'.replace('<', '&lt;').replace('>', '&gt;'));
  });
});

describe('/cobrowse watch', () => {
  const { sandbox } = checkedSandbox();

  it('goes straight to the Watch button of one visitor', async () => {
    const { text, blocks } = await personIn(sandbox()).type('/cobrowse watch jane4821');
    expect(text).toContain('Jane Cooper');
    const [watch] = buttonsIn(blocks);
    expect(watch?.url).toMatch(new RegExp(`^${sandbox().publicUrl}/watch/[\\w-]+$`));
    expect(watch?.url).not.toContain('jane');
  });

  it.each(['Jane Cooper', 'jane@acme.com', '4821', 'tag:checkout'])(
    'takes what fits one visitor, as an id: %s',
    async (typed) => {
      const { text, blocks } = await personIn(sandbox()).type(`/cobrowse watch ${typed}`);
      expect(text).toMatch(/^Jane Cooper · jane@acme.com · Online/);
      expect(buttonsIn(blocks)[0]).toMatchObject({ accessibility_label: 'Watch the screen of Jane Cooper' });
    },
  );

  it('lists those who fit where there are several, with their pages', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse watch shop.acme');
    expect(list.text).toContain('Customers 1 to 6 of 11 matching shop.acme');
    expect((await alex.pressToReplace(list, /^Next/)).text).toContain('Customers 7 to 11 of 11');
  });

  it('makes no link before the button is pressed', async () => {
    const before = sandbox().service.requests.length;
    await personIn(sandbox()).type('/cobrowse watch jane4821');
    const asked = sandbox()
      .service.requests.slice(before)
      .map(({ method }) => method);
    expect(asked).not.toContain('POST');
  });

  it('works where the app is no member of the channel', async () => {
    const { ephemeral, text } = await personIn(sandbox(), SAM, SALES).type('/cobrowse watch jane4821');
    expect(ephemeral).toBe(true);
    expect(text).toContain('Jane Cooper');
  });

  it('says what to do when there is no such visitor', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse watch nobody');
    expect(text).toContain('No customer matches nobody.');
  });

  it('answers with usage when the id is missing', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse watch “”');
    expect(text).toContain('Whose screen? Try /cobrowse watch jane.');
  });

  it('acknowledges the press of the button, whose address does the rest', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    await alex.press(offer, /^Watch/);
    const { failed, pending } = sandbox().slack.snapshot('U0ALEX00001');
    expect({ failed, pending }).toEqual({ failed: [], pending: [] });
    expect(alex.messages()).toContainEqual(offer);
  });
});
