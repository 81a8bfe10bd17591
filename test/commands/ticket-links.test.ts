import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apartFromLinks, ticketIn, ticketPrefix } from '../../src/commands/ticket-links.ts';
import { anyCharacter, webAddress } from '../support/any-text.ts';

const DESK = 'https://acme.zendesk.com/agent/tickets/';
const PREFIXES = [
  DESK,
  'https://xn--bcher-kva.example/t/',
  'https://desk.acme.example:8443/',
  'https://acme.com/',
];
const ticket = `${DESK}42`;
const oneOf = (words: string) => fc.constantFrom(...words.split(' '));
const found = (text: string, hosts: readonly string[] = []) => ticketIn(text, PREFIXES, hosts);

describe('a link to a ticket', () => {
  it.each([
    [ticket, ticket],
    [`${ticket}/`, ticket],
    [`${ticket}?token=secret#comment`, ticket],
    ['HTTPS://Acme.ZENDESK.com/agent/tickets/42', ticket],
    [`<${ticket}?a=1&amp;b=2|the ticket>`, ticket],
    [`see (${ticket}), please`, ticket],
    [`https://elsewhere.example/1 ${ticket} ${DESK}43`, ticket],
    ['https://xn--bcher-kva.example/t/A-1', 'https://xn--bcher-kva.example/t/A-1'],
    ['https://bücher.example/t/A-1', 'https://xn--bcher-kva.example/t/A-1'],
    ['https://desk.acme.example:8443/7', 'https://desk.acme.example:8443/7'],
    [`${DESK}42-caf%C3%A9`, `${DESK}42-caf%C3%A9`],
  ])('is found in %s, without query string and fragment', (text, address) => {
    expect(found(text)).toBe(address);
  });

  it.each([
    ['plain http', 'http://acme.zendesk.com/agent/tickets/42'],
    ['the address itself', DESK],
    ['half a segment', 'https://acme.zendesk.com/agent/tickets-of-mine/42'],
    ['a user name', 'https://acme.zendesk.com@evil.example/agent/tickets/42'],
    ['a user name before the right host', 'https://evil@acme.zendesk.com/agent/tickets/42'],
    ['a longer host', 'https://acme.zendesk.com.evil.example/agent/tickets/42'],
    ['another port', 'https://acme.zendesk.com:8443/agent/tickets/42'],
    ['a dot at the host’s end', 'https://acme.zendesk.com./agent/tickets/42'],
    ['dots', `${DESK}../../admin`],
    ['an encoded backslash', `${DESK}%5c..%5cadmin`],
    ['a backslash', `https://acme.zendesk.com\\@evil.example/agent/tickets/42`],
    ['an empty segment', `${DESK}/evil.example`],
    ['a semicolon', `${DESK}..;/admin`],
    ['a Cyrillic letter', 'https://аcme.zendesk.com/agent/tickets/42'],
    ['a letter that looks like a K', 'https://des\u212A.acme.example:8443/7'],
    ['an encoded host', 'https://%61cme.zendesk.com/agent/tickets/42'],
    ['a right-to-left override', `${DESK}42\u202E/moc`],
    ['an encoded override', `${DESK}42%E2%80%AE/moc`],
    ['half an encoded letter', `${DESK}42%E2%80`],
    ['letters that aren’t encoded', `${DESK}42-café`],
    ['too long', `${DESK}${'4'.repeat(400)}`],
    ['a label that looks like one', `<https://evil.example/x|${ticket}>`],
    ['a path of watch links', 'https://acme.com/watch/abcdef'],
  ])('isn’t one with %s', (_what, text) => {
    expect(found(text)).toBeUndefined();
  });

  it.each([
    'scp/tickets.php?id=1475',
    'otrs/index.pl?Action=AgentTicketZoom;TicketID=123',
    'jira/software/projects/ABC/boards/1?selectedIssue=ABC-12',
    '#ticket/zoom/42',
    'issues/42',
    'index.php?module=HelpDesk&view=Detail&record=42',
    'ShowHomePage.do#Cases/dv/123456',
    'nav_to.do?uri=incident.do?sys_id=9d385017c611228701d22104cc95c371',
  ])('keeps what says which ticket, and nothing else: %s', (path) => {
    const address = `https://help.example.test/${path}`;
    const prefixes = ['https://help.example.test/'];
    expect(ticketIn(address, prefixes, [])).toBe(address);
    const sign = path.includes(';') ? ';' : '&';
    const [bare = '', fragment] = address.split('#');
    const more = `${bare}${bare.includes('?') ? sign : '?'}token=secret42${sign}page=2#${fragment ?? 'note-3'}`;
    expect(ticketIn(`<${more.replaceAll('&', '&amp;')}|it>`, prefixes, [])).toBe(address);
  });

  it('is one below a script that the admins named', () => {
    const prefixes = [ticketPrefix('https://help.example.test/scp/tickets.php') ?? ''];
    const address = 'https://help.example.test/scp/tickets.php?id=1475';
    expect(ticketIn(address, prefixes, [])).toBe(address);
  });

  it.each([
    'scp/tickets.php',
    'scp/tickets.php?status=open',
    'jira/software/projects/ABC/boards/1',
    'tickets?id=secret',
    'tickets?token=1234',
    '#access_token=1234',
    '#/reset/123456',
  ])('is none where nothing says which: %s', (path) => {
    expect(ticketIn(`https://help.example.test/${path}`, ['https://help.example.test/'], [])).toBeUndefined();
  });

  it('is never taken on a host of watch links, whatever the admins named', () => {
    expect(found('https://acme.com/s/abcdef')).toBe('https://acme.com/s/abcdef');
    expect(found('https://acme.com/s/abcdef', ['acme.com'])).toBeUndefined();
  });

  it('is, whatever was typed, on the prefix’s own host and below its path, as a browser reads it', () => {
    const host = oneOf('acme.zendesk.com acme.zendesk.com@evil.example ACME.zendesk.com evil.example');
    const odd = oneOf('/ .. . %2e %2F \\ @ : ? # ; 42 agent/tickets/');
    const usual = oneOf('42 a-1 7/b');
    const rest = fc.oneof(
      { weight: 6, arbitrary: usual },
      { weight: 3, arbitrary: odd },
      { weight: 1, arbitrary: anyCharacter },
    );
    const text = fc
      .tuple(host, fc.array(rest, { maxLength: 4 }))
      .map(([name, parts]) => `https://${name}/agent/tickets/${parts.join('')}`);
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: text }, webAddress), (typed) => {
        const address = ticketIn(typed, [DESK], []);
        if (address === undefined) return;
        taken += 1;
        const { href, origin, pathname, hash } = new URL(address);
        expect(href).toBe(address);
        expect(origin).toBe('https://acme.zendesk.com');
        expect(pathname + hash).toMatch(/^\/agent\/tickets\/[!-~]+$/);
        expect(decodeURIComponent(pathname.replaceAll(/%[89A-F][\dA-F]/gi, ''))).not.toMatch(/\/\.|\\|\/\//);
        // The link that was typed leads there, too.
        const [link = ''] = /https:\S+/i.exec(typed) ?? [];
        expect(new URL(link).host).toBe('acme.zendesk.com');
      }),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  it('is looked for in any text without delay', () => {
    const long = 'https://acme.zendesk.com/agent/tickets/%2e '.repeat(100_000);
    expect(found(`${ticket} ${long}`)).toBe(ticket);
    expect(found(`${long} ${ticket}`)).toBeUndefined();
    // Quadratic, this would take minutes.
    expect(found(`${ticket}${'.'.repeat(90_000)}x ${ticket}`)).toBe(ticket);
  });
});

describe('an address that tickets begin with', () => {
  it.each([
    ['https://acme.zendesk.com/agent/tickets', DESK],
    ['HTTPS://acme.zendesk.com/agent/tickets/', DESK],
    ['https://acme.atlassian.net', 'https://acme.atlassian.net/'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
  ])('is kept of %s with a slash at its end', (typed, prefix) => {
    expect(ticketPrefix(typed)).toBe(prefix);
  });

  it.each([
    'http://acme.com',
    'acme.com',
    'https://',
    'https://u@acme.com',
    'https://acme.com/?a',
    'https://acme.com/#a',
    'https://acme.com/../x',
    'https://acme.com/%2e',
    'https://acme.com/*',
  ])('isn’t %s', (typed) => {
    expect(ticketPrefix(typed)).toBeUndefined();
  });
});

describe('a search with links beside its words', () => {
  it.each([
    [`jane ${ticket}`, 'jane', ticket],
    [`<${ticket}|acme.zendesk.com> jane cooper`, 'jane cooper', ticket],
    ['find http://a.example/x jane', 'find   jane', 'http://a.example/x'],
    ['<http://acme.com|acme.com> jane', 'acme.com jane', ''],
    [ticket, ticket, ''],
    ['jane', 'jane', ''],
    ['<mailto:jane@acme.com|jane@acme.com>', '<mailto:jane@acme.com|jane@acme.com>', ''],
  ])('is told apart from them: %s', (typed, words, links) => {
    expect(apartFromLinks(typed)).toEqual({ words, links });
  });
});
