import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

const shown = (blocks: Parameters<typeof readable>[0]) =>
  Array.from(readable(blocks).matchAll(/Guest (\d+)/g), (match) => Number(match[1]));

describe('/cobrowse find', () => {
  const { sandbox } = checkedSandbox();

  it('shows who, whether online, the page, the place and the device, to the asker alone', async () => {
    const answer = await personIn(sandbox()).type('/cobrowse find jane@acme.com');
    expect(answer).toMatchObject({ ephemeral: true, channel: SUPPORT });
    const text = readable(answer.blocks);
    expect(text).toContain('1 visitor matching jane@acme.com');
    expect(text).toContain('Jane Cooper  jane@acme.com');
    expect(text).toContain('Online · /checkout');
    expect(text).toContain('Denver, United States · Chrome on Mac');
    expect(labels(answer.blocks)).toEqual(['Watch', 'Details', 'Stop']);
    expect(personIn(sandbox(), KIM).messages()).not.toContainEqual(answer);
  });

  it('says everything in the text for a screen reader, too, without links', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse find jane@acme.com');
    for (const part of ['Jane Cooper', 'Online', '/checkout', 'Denver', 'Chrome']) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/https?:/);
  });

  it('names the visitor on each button for a screen reader', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse find jane@acme.com');
    expect(buttonsIn(blocks).map((button) => button.accessibility_label)).toEqual([
      'Watch the screen of Jane Cooper',
      'Details of Jane Cooper',
      'Stop session with Jane Cooper',
    ]);
  });

  it('offers an offline visitor neither Watch nor Stop', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse find noah.schmidt@hooli.example');
    expect(readable(blocks)).toContain('Offline, last seen ');
    expect(labels(blocks)).toEqual(['Details']);
  });

  it('says that a visitor is in a session', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch Xq9Z');
    const redirect = await alex.watch(offer);
    const session = await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
    const answer = await alex.type('/cobrowse find sofia@globex.example');
    await sandbox().service.endSession(session.id);
    expect(readable(answer.blocks)).toContain('Online, in a session');
  });

  it('lists the latest visitors when nothing is asked for', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse find');
    const text = readable(blocks);
    expect(text).toContain('latest first');
    expect(text.indexOf('Jane Cooper')).toBeLessThan(text.indexOf("Liam O'Brien"));
  });

  it.each([
    ['an email as Slack links it', 'jane@acme.com', 'Jane Cooper'],
    ['smart quotes', '“Jane Cooper”', 'Jane Cooper'],
    ['a non-breaking space and stray spaces', '  Jane\u00A0 Cooper ', 'Jane Cooper'],
    ['an apostrophe as phones write it', 'O’Brien', "Liam O'Brien"],
    ['marks nobody sees, as pasted from a mail', '\u202Ajane@acme.com\u202C\u200B', 'Jane Cooper'],
    ['a lookup code', '4821', 'Jane Cooper'],
    ['a unique id', 'id:customer-1002', "Liam O'Brien"],
    ['an IP address', 'ip:203.0.113.7', 'Jane Cooper'],
    ['a tag', '#wholesale', 'Sofía Martínez'],
    ['an id of another system', 'integration_id:zendesk:90210', 'Noah Schmidt'],
    ['another script', '田中', '田中 雪'],
    ['capital letters in the command', 'JANE@acme.com', 'Jane Cooper'],
  ])('understands %s', async (_what, typed, name) => {
    const answer = await personIn(sandbox()).type(`/cobrowse find ${typed}`);
    expect(readable(answer.blocks)).toContain('1 visitor matching');
    expect(readable(answer.blocks)).toContain(name);
  });

  it('asks the service for exactly what was typed, out of Slack’s escaped form', async () => {
    const typed = 'AT&T <b> https://shop.acme.example/a?b=1&c=2';
    await personIn(sandbox()).type(`/cobrowse find ${typed}`);
    const { path = '' } = sandbox().service.requests.findLast((one) => one.path.includes('/list')) ?? {};
    expect(new URL(path, 'http://service').searchParams.get('search')).toBe(typed);
  });

  it('searches for the email of a person who is mentioned', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse find @alex');
    expect(readable(blocks)).toContain('No visitor matches alex@acme.com.');
  });

  it('says so where the profile of the mentioned person shows no email', async () => {
    const answer = await personIn(sandbox()).type('/cobrowse find @kim');
    expect(answer.text).toContain(`The Slack profile of <@${KIM}> shows the app no email address`);
    expect(answer.text).toContain('/cobrowse find name@company.com');
  });

  it('says what was searched for and what to try when nobody matches', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse find nobody-of-this-name');
    expect(text).toContain('No visitor matches nobody-of-this-name.');
    expect(text).toContain('Try a part of the name or email');
  });

  it('asks for less where the search is over 200 characters, without asking the service', async () => {
    const before = sandbox().service.requests.length;
    const { text } = await personIn(sandbox()).type(`/cobrowse find ${'x'.repeat(201)}`);
    expect(text).toContain('over 200 characters');
    expect(text).toContain('/cobrowse find [name, email or search]');
    const asked = sandbox().service.requests.slice(before);
    expect(asked.filter(({ path }) => path.includes('/list'))).toEqual([]);
  });

  it('treats a search of nothing but unseen marks as an empty one', async () => {
    const { blocks } = await personIn(sandbox()).type('/cobrowse find \u200B\u2060');
    expect(readable(blocks)).toContain('latest first');
  });

  it('takes fuller words of the search in the headline shortened', async () => {
    const { text } = await personIn(sandbox()).type(`/cobrowse find ${'y'.repeat(199)}`);
    expect(text).toContain(`${'y'.repeat(119)}…`);
  });
});

describe('More in a list of visitors', () => {
  const guests = Array.from({ length: 123 }, (_, index) => ({
    short_id: `guest${index}`,
    identities: [`Guest ${index}`],
    is_online: true,
    lastSeenMinutesAgo: index,
    tags: index < 11 ? ['few'] : index < 22 ? ['leaving'] : [],
  }));
  const { sandbox } = checkedSandbox({ service: { seed: guests } });

  it('goes on ten by ten in the same message, to 100 and no further', async () => {
    const alex = personIn(sandbox());
    let list = await alex.type('/cobrowse find guest');
    const seen = [...shown(list.blocks)];
    for (let page = 2; page <= 10; page += 1) {
      list = await alex.pressToReplace(list, /^More/);
      expect(readable(list.blocks)).toContain(`Visitors ${page * 10 - 9} to ${page * 10} matching guest`);
      expect(list.ephemeral).toBe(true);
      seen.push(...shown(list.blocks));
    }
    expect(new Set(seen).size).toBe(100);
    expect(labels(list.blocks)).not.toContain('More');
    expect(readable(list.blocks)).toContain('There are more');
  });

  it('ends without More where the list ends', async () => {
    const alex = personIn(sandbox());
    const first = await alex.type('/cobrowse find #few');
    expect(readable(first.blocks)).toContain('Visitors 1 to 10');
    const last = await alex.pressToReplace(first, /^More/);
    expect(new Set(shown(last.blocks))).toEqual(new Set([10]));
    expect(labels(last.blocks)).not.toContain('More');
  });

  it('says so where the rest has gone meanwhile', async () => {
    const alex = personIn(sandbox());
    const first = await alex.type('/cobrowse find #leaving');
    for (const { short_id } of guests.filter(({ tags }) => tags.includes('leaving'))) {
      sandbox().service.setOnline(short_id, false);
      await fetch(`${sandbox().service.url}/v1.3/visitors/${short_id}`, {
        method: 'DELETE',
        headers: { 'x-api-key': sandbox().service.apiKey },
      });
    }
    const last = await alex.pressToReplace(first, /^More/);
    expect(last.text).toContain('No further visitors');
  });

  it('never asks the service for more than it shows and one', async () => {
    await personIn(sandbox()).type('/cobrowse find guest');
    const { path = '' } = sandbox().service.requests.findLast((one) => one.path.includes('/list')) ?? {};
    expect(new URL(path, 'http://service').searchParams.get('max_results')).toBe('11');
  });
});
