import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { buttonsIn, personIn, readable } from '../support/person.ts';

const { sandbox } = checkedSandbox();

describe('/cobrowse visitor', () => {
  it('shows all that is known of one visitor', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse visitor jane4821');
    const facts = ['Jane Cooper · jane@acme.com', 'Page: /checkout', 'Denver, United States · Chrome on Mac'];
    const further = ['Lookup code: 4821 · Tags: vip, checkout', 'First seen:', 'Id: jane4821'];
    for (const part of [...facts, ...further]) expect(readable(blocks)).toContain(part);
    const labels = buttonsIn(blocks).map(({ text }) => text.text);
    expect(labels).toEqual(['Watch', 'Ask a colleague', 'Ask this channel']);
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
});

it.each(['Jane Cooper', 'jane@acme.com', '4821', 'tag:checkout'])(
  '/cobrowse visitor and watch take what fits one visitor, as an id: %s',
  async (typed) => {
    const card = await personIn(sandbox()).type(`/cobrowse visitor ${typed}`);
    expect(card.text).toContain('Id: jane4821');
    expect(card.text).toContain('Pages seen');
    const offer = await personIn(sandbox()).type(`/cobrowse watch ${typed}`);
    expect(offer.text).toMatch(/^Jane Cooper · jane@acme.com · Online/);
    expect(buttonsIn(offer.blocks)[0]?.accessibility_label).toBe('Watch the screen of Jane Cooper');
  },
);
