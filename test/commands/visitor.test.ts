import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SALES, SAM, buttonsIn, personIn, readable } from '../support/person.ts';

describe('/cobrowse visitor', () => {
  const { sandbox } = checkedSandbox();

  it('shows all that is known of one visitor', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse visitor jane4821');
    const text = readable(blocks);
    for (const part of [
      'Jane Cooper  jane@acme.com',
      'Page: /checkout',
      'Place: Denver, United States',
      'Browser: Chrome on Mac',
      'Lookup code: 4821',
      'Tags: vip, checkout',
      'First seen: ',
      'Id: jane4821',
    ]) {
      expect(text).toContain(part);
    }
    expect(buttonsIn(blocks).map((button) => button.text.text)).toEqual(['Watch', 'Stop']);
  });

  it('shows further identities', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse visitor Xq9Z');
    expect(text).toContain('Also known as: sofia@globex.example');
  });

  it('shows a visitor of whom nothing is known by its id', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse visitor anon');
    expect(text).toContain('Visitor anon');
    expect(text).not.toMatch(/null|undefined|NaN|Invalid/);
  });

  it('is what Details leads to, beside the list', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find jane@acme.com');
    const details = await alex.pressFor(list, /^Details/);
    expect(details.text).toContain('Lookup code: 4821');
    expect(alex.messages()).toContainEqual(list);
  });

  it('answers in words where the visitor is gone by the time Details is pressed', async () => {
    sandbox().service.addVisitor({ short_id: 'fleeting', identities: ['Flee Ting'], is_online: false });
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find fleeting');
    const { url, apiKey } = sandbox().service;
    await fetch(`${url}/v1.3/visitors/fleeting`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    const answer = await alex.pressFor(list, /^Details/);
    expect(answer.text).toContain('does not know that visitor');
    expect(answer.text).toContain('/cobrowse find');
  });

  it.each(['..', '.', '%2e%2e', 'a/b', 'a?b=c', '😀', '<@U0SAM000002>'])(
    'finds no visitor by the odd id %s',
    async (id) => {
      const { text } = await personIn(sandbox()).type(`/cobrowse visitor ${id}`);
      expect(text).toContain('does not know that visitor');
    },
  );

  it('answers with usage when the id is missing', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse visitor');
    expect(text).toContain('Which visitor? The id is missing.');
    expect(text).toContain('/cobrowse visitor <visitor id>'.replace('<', '&lt;').replace('>', '&gt;'));
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
    expect(text).toContain('does not know that visitor');
    expect(text).toContain('/cobrowse find');
  });

  it('answers with usage when the id is missing', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse watch “”');
    expect(text).toContain('Whose screen? The visitor id is missing.');
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
