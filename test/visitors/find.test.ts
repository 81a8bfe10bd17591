import { describe, expect, it } from 'vitest';
import { searchText } from '../../src/commands/typed.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import {
  KIM,
  SAM,
  SUPPORT,
  anotherLink,
  askedSince,
  buttonsIn,
  choicesIn,
  personIn,
  readable,
} from '../support/person.ts';

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

/** The guests of a page, in order: the menu below names them once more. */
const shown = (blocks: Parameters<typeof readable>[0]) => [
  ...new Set(Array.from(readable(blocks).matchAll(/Guest (\d+)/g), (match) => Number(match[1]))),
];

describe('/cobrowse find', () => {
  const { sandbox } = checkedSandbox({ service: { sessionLimit: 10 } });
  const ask = (text: string) => personIn(sandbox()).type(`/cobrowse ${text}`);

  it('shows who, whether online and the page, in a line each, to the asker alone', async () => {
    const answer = await ask('find jane');
    expect(answer).toMatchObject({ ephemeral: true, channel: SUPPORT });
    const text = readable(answer.blocks);
    expect(text).toMatch(/^2 customers matching jane.*\nOnline now/s);
    expect(text).toContain('Jane Cooper · jane@acme.com · /checkout');
    expect(text).toContain('Jane Park · jane.park@globex.example · last seen 4 days ago');
    expect(personIn(sandbox(), KIM).messages()).not.toContainEqual(answer);
    // Watch for who is online, Details for who isn’t, and more about each below.
    const { blocks } = answer;
    expect(labels(blocks)).toEqual(['Watch', 'Details']);
    expect(buttonsIn(blocks).map((button) => button.accessibility_label)).toEqual([
      'Watch the screen of Jane Cooper',
      'Details of Jane Park',
    ]);
    expect(choicesIn(blocks)).toEqual([
      'Jane Cooper, jane@acme.com (online)',
      'Jane Park, jane.park@globex.example (offline)',
    ]);
  });

  it('says who is in a session with whom, as far as this app gave the link', async () => {
    const alex = personIn(sandbox());
    const redirect = await alex.watch(await alex.type('/cobrowse watch Xq9Z'));
    const session = await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
    const list = await personIn(sandbox(), SAM).type('/cobrowse find wholesale');
    const own = await alex.type('/cobrowse find sofia@globex.example');
    expect(readable(list.blocks)).toContain(' · /cart\n🎧 In session with Alex Rivera');
    expect(list.text).toContain(' · /cart\nIn session with Alex Rivera');
    expect(readable(own.blocks)).toContain('In session with you');
    expect(labels(own.blocks)).toEqual(['Watch', 'Ask a colleague', 'Ask this channel', 'Stop']);
    await sandbox().service.endSession(session.id);
    const after = await personIn(sandbox(), SAM).type('/cobrowse find wholesale');
    expect(readable(after.blocks)).not.toContain('In session');
  });

  it.each([
    ['an email as Slack links it', 'jane@acme.com', 'Jane Cooper'],
    ['a name without its accents', 'Sofia Martinez', 'Sofía Martínez'],
    ['a lookup code', '4821', 'Jane Cooper'],
    ['a visitor’s id', 'jane4821', 'Jane Cooper'],
    ['a unique id', 'id:customer-1002', "Liam O'Brien"],
    ['a link to a visitor', 'https://dashboard.example/visitors/Xq9Z?tab=1', 'Sofía Martínez'],
  ])(
    'shows the card of the one who is online and named exactly, with one Watch: %s',
    async (_what, typed, name) => {
      for (const text of [typed, `find ${typed}`]) {
        const answer = await ask(text);
        expect(answer.text).toContain(`${name} · `);
        expect(answer.text).toContain(' · Page: ');
        expect(answer.text).toContain('\nPages seen\n');
        const [watch] = buttonsIn(answer.blocks);
        expect(watch).toMatchObject({ style: 'primary', accessibility_label: `Watch the screen of ${name}` });
        expect(labels(answer.blocks).slice(1)).toEqual(['Ask a colleague', 'Ask this channel']);
      }
    },
  );

  it.each([
    ['an apostrophe as phones write it', 'O’Brien', "Liam O'Brien"],
    ['an IP address', 'ip:203.0.113.7', 'Jane Cooper'],
    ['a tag', '#wholesale', 'Sofía Martínez'],
    ['an id of another system', 'integration_id:zendesk:90210', 'Noah Schmidt'],
    ['the page a customer is on', 'https://shop.acme.example/help/returns?order=1042&step=2', '田中 雪'],
    ['an offline customer’s email', 'noah.schmidt@hooli.example', 'Noah Schmidt'],
  ])('lists who is found by part of something: %s', async (_what, typed, name) => {
    for (const text of [typed, `find ${typed}`]) {
      const { blocks } = await ask(text);
      expect(readable(blocks)).toContain('1 customer matching');
      expect(readable(blocks)).toContain(name);
    }
  });

  it('finds by an id that no list knows, and by the email of a person who is mentioned', async () => {
    sandbox().service.addVisitor({ short_id: 'zq', identities: ['Zed'], is_online: true });
    expect((await ask('zq')).text).toContain('Id: zq');
    expect((await ask('find @alex')).text).toContain('No customer matches alex@acme.com.');
  });

  it('gives a text for a customer who can’t be found, but not for a code or an id that is wrong', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse nobody-of-this-name');
    const { text } = await alex.pressFor(list, /^Help them/);
    expect(text).toContain('send us the four-digit code');
    expect(text).toContain('/cobrowse proxy');
    for (const typed of ['9999', 'id:4711', 'integration_id:crm:jane', 'jane9999x']) {
      const { blocks } = await ask(typed);
      expect(readable(blocks)).toContain('No customer matches');
      expect(readable(blocks)).not.toContain('Help them show up');
    }
  });

  it('asks for less where the search is over 200 characters, without asking the service', async () => {
    const before = sandbox().service.requests.length;
    for (const text of [`find ${'x'.repeat(201)}`, 'x'.repeat(201)]) {
      const answer = await ask(text);
      expect(answer.text).toContain('Search is limited to 200 characters.');
      expect(answer.text).toContain('/cobrowse find [name, email or search]');
    }
    expect(askedSince(sandbox(), before)).toEqual([]);
  });

  it('searches for a tag that Slack took for a channel, or says how to write one', () => {
    expect(searchText.parse('online <#C0SUPPORT01|vip>')).toBe('online #vip');
    for (const typed of ['<#C0SUPPORT01>', 'online <#C0SUPPORT01|>']) {
      expect(searchText.safeParse(typed).error?.issues[0]?.message).toContain('write tag:vip');
    }
  });
});

describe('a watch link after /cobrowse', () => {
  const { sandbox, logLines } = checkedSandbox();

  it.each(['', 'find ', 'watch '])('is refused and told to nobody: /cobrowse %s…', async (command) => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    const redirect = await anotherLink(await alex.watch(offer));
    const link = redirect.headers.get('location') ?? '';
    const button = buttonsIn(offer.blocks)[0]?.url ?? '';
    const before = sandbox().service.requests.length;
    const secrets = [link, button].map((address) => new URL(address).pathname.split('/').at(-1) ?? '');
    for (const address of [link, `see (${link})`, link.replace('http://', ''), button, `${button}?x#y`]) {
      const { text } = await alex.type(`/cobrowse ${command}${address}`);
      expect(text).toContain('looks like a watch link');
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    // The card in the channel asks for the visitor whom the link is for.
    const asked = askedSince(sandbox(), before).filter((line) => !line.endsWith('/visitors/jane4821'));
    expect(asked).toEqual([]);
    for (const secret of secrets) expect(logLines.join('')).not.toContain(secret);
  });
});

describe('the pages of a list of visitors', () => {
  const guests = Array.from({ length: 123 }, (_, index) => ({
    short_id: `guest${index}`,
    identities: [`Guest ${index}`],
    is_online: true,
    lastSeenMinutesAgo: index,
    tags: index >= 11 && index < 22 ? ['leaving'] : [],
  }));
  const { sandbox } = checkedSandbox({ service: { seed: guests } });

  it('go on six by six in the same message, to 100 and no further, and back in the same order', async () => {
    const alex = personIn(sandbox());
    let list = await alex.type('/cobrowse find guest');
    const pages = [shown(list.blocks)];
    expect(labels(list.blocks)).not.toContain('Previous');
    for (let page = 2; page <= 17; page += 1) {
      list = await alex.pressToReplace(list, /^Next/);
      const range = `Customers ${page * 6 - 5} to ${Math.min(page * 6, 100)} of more than 100 matching guest`;
      expect(readable(list.blocks)).toContain(range);
      expect(list.ephemeral).toBe(true);
      pages.push(shown(list.blocks));
    }
    expect(new Set(pages.flat()).size).toBe(100);
    expect(labels(list.blocks)).not.toContain('Next');
    // One more than there can be shows that there are more.
    const { path = '' } = sandbox().service.requests.findLast((one) => one.path.includes('/list')) ?? {};
    expect(new URL(path, 'http://service').searchParams.get('max_results')).toBe('101');
    expect(readable(list.blocks)).toContain('Narrow your search to see more.');
    for (let page = 16; page >= 1; page -= 1) {
      list = await alex.pressToReplace(list, /^Previous/);
      expect(shown(list.blocks)).toEqual(pages[page - 1]);
    }
  });
});
