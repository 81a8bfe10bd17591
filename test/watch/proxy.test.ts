import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { buttonsIn, personIn, readable } from '../support/person.ts';

const { sandbox } = checkedSandbox({ service: { proxyEnabled: true } });
const ask = (argument: string) => personIn(sandbox()).type(`/cobrowse proxy ${argument}`);

describe('/cobrowse proxy', () => {
  it('offers a button that makes a fresh link at each press, and posts none', async () => {
    const alex = personIn(sandbox());
    const offer = await ask('https://partner.example/start?a=b shop.example, *.pay.example');
    expect(offer.ephemeral).toBe(true);
    expect(readable(offer.blocks)).toContain('partner.example/start');
    expect(readable(offer.blocks)).toContain('on shop.example, *.pay.example');
    const opened = await Promise.all([1, 2].map(() => alex.watch(offer, /^Start proxy session/)));
    const links = opened.map(({ headers }) => headers.get('location'));
    expect(new Set(links).size).toBe(2);
    const bodies = sandbox().service.requests.filter(({ path }) => path.endsWith('/proxy_sessions'));
    const body = {
      initial_url: 'https://partner.example/start?a=b',
      allowed_domains: ['shop.example', '*.pay.example'],
    };
    expect(bodies.map((sent) => sent.body)).toEqual([body, body]);
    for (const link of links) expect(JSON.stringify(sandbox().slack.calls)).not.toContain(String(link));
  });

  it.each([
    ['shop.example.com', 'https://shop.example.com/'],
    ['shop.example.com:8443/start?a=b', 'https://shop.example.com:8443/start?a=b'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
  ])('takes an address as people type it, and says who opens it: %s', async (typed, address) => {
    const offer = await ask(typed);
    expect(readable(offer.blocks)).toContain('Whoever opens the link is the customer in this session.');
    await personIn(sandbox()).watch(offer, /^Start proxy session/);
    const last = sandbox().service.requests.findLast(({ path }) => path.endsWith('/proxy_sessions'));
    expect(last?.body).toMatchObject({ initial_url: address });
  });

  it.each([
    ['an address as long as addresses are', `https://partner.example/start?one=1&two=${'x'.repeat(700)}`],
    ['the longest one that it does not complain about', `https://shop.example/${'店'.repeat(108)}`],
  ])('takes %s, and domains in every script, also after a page of ours', async (_, address) => {
    const alex = personIn(sandbox());
    const offer = await ask(`${address} Bücher.example`);
    expect((await alex.watch(offer, /^Start proxy session/)).status).toBe(302);
    const last = sandbox().service.requests.findLast(({ path }) => path.endsWith('/proxy_sessions'));
    expect(last?.body).toEqual({
      initial_url: new URL(address).href,
      allowed_domains: ['xn--bcher-kva.example'],
    });
    const { url = '' } = alex.button(offer, /^Start proxy session/);
    const sent = await alex.see(() => fetch(url, { method: 'POST' }));
    expect(buttonsIn(sent.blocks)).toHaveLength(1);
  });

  it.each([
    ['shop', 'Start with the address of the page'],
    ['javascript:alert(1)', 'must start with https:// or http://'],
    ['https://me:secret@shop.example', 'can’t contain a user name'],
    ['https://shop.example not_a_domain', '“not_a_domain” isn’t a domain'],
    [`https://shop.example ${'shop.example '.repeat(21)}`, 'At most 20 domains'],
    [`https://shop.example/${'a'.repeat(1_000)}`, 'the limit is 1000 characters'],
    // A browser writes each of these letters in nine characters.
    [`https://shop.example/${'店'.repeat(150)}`, 'That’s too long for a Slack button'],
  ])('says what is wrong with %j', async (argument, words) => {
    const { text } = await ask(argument);
    expect(text).toContain(words);
    expect(text).toContain('/cobrowse proxy &lt;address&gt; [domains]');
  });
});

const connected = checkedSandbox({ deployment: 'on-premise-connected' });

it('/cobrowse proxy draws no button where there is no cloud, and says so', async () => {
  const alex = personIn(connected.sandbox());
  const { text, blocks } = await alex.type('/cobrowse proxy https://partner.example/');
  expect(text).toContain('doesn’t offer this');
  expect(buttonsIn(blocks)).toEqual([]);
});
