import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createLog, createScrubber } from '../../src/logging/log.ts';
import { createSlackLogger } from '../../src/workspaces/web-client.ts';

const API_KEY = 'api-key-0123456789';
const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
// Characters that JSON writes in another way.
const SEALING_KEY = 'a "sealing" key\\with/odd+characters=';
const TICKET = 'Zm9vYmFyYmF6cXV4-Zm9vYmFyYmF6cXV4_Zm9v';
const WATCH_LINK = 'https://service.example/w/0123456789abcdef';
// Put together here, so that no secret scanner mistakes it for a real one.
const botToken = (rest: string) => ['xoxb', '1234567890', rest].join('-');
const hook = 'https://hooks.slack.com/commands/T0ACME/123/abcDEFghi';

function loggingTo() {
  const lines: string[] = [];
  const log = createLog({
    level: 'trace',
    secrets: [API_KEY, SIGNING_SECRET, SEALING_KEY],
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, text: () => lines.join(''), last: (): unknown => JSON.parse(lines.at(-1) ?? '') };
}

/** All that may not be found in a log. */
const HIDDEN = [
  API_KEY,
  SIGNING_SECRET,
  'sealing\\"',
  TICKET,
  'abcDEFghi',
  'topsecret',
  'tops3c',
  '0123456789abcdef',
];

function expectClean(text: string): void {
  for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
}

const places: Readonly<Record<string, (value: string) => readonly unknown[]>> = {
  'the message': (value) => [{}, `before ${value} behind`],
  'a field': (value) => [{ field: value }, 'message'],
  'a field deep inside': (value) => [{ a: { b: [{ c: { d: value } }] } }, 'message'],
  'a name of a field': (value) => [{ [value]: 1 }, 'message'],
  'JSON within a field': (value) => [{ body: JSON.stringify({ value }) }, 'message'],
  'JSON within JSON': (value) => [{ body: JSON.stringify({ inner: JSON.stringify({ value }) }) }, 'message'],
  'an error': (value) => [{ err: new Error(`failed with ${value}`) }, 'message'],
  'a cause of an error': (value) => [
    { err: new Error('outer', { cause: new Error('middle', { cause: new Error(value) }) }) },
    'message',
  ],
  'a field of an error': (value) => [
    { err: Object.assign(new Error('e'), { config: { headers: [value] } }) },
  ],
  'one of several errors': (value) => [{ err: new AggregateError([new Error(value)], 'several') }],
  'an address': (value) => [{ url: `https://host.example/path?token=${value}&x=y` }, 'message'],
  'the line after another': (value) => [`first line\n${value}\nthird line`],
  'a word for the message': (value) => [{}, 'said %s', value],
};

const secrets: Readonly<Record<string, string>> = {
  'the key of the service': API_KEY,
  'the signing secret': SIGNING_SECRET,
  'a sealing key with characters that JSON escapes': SEALING_KEY,
  'a bot token': botToken('topsecret'),
  'a user token': botToken('topsecret').replace('xoxb', 'xoxp'),
  'a refresh token': botToken('topsecret').replace('xoxb', 'xoxe-1'),
  'a rotated token': `xoxe.${botToken('topsecret')}`,
  'an app-level token': botToken('topsecret').replace('xoxb', 'xapp'),
  'a Watch address': `https://cobrowse.example.com/watch/${TICKET}`,
  'the path of a Watch address': `/watch/${TICKET}`,
  'an address to join at': `https://cobrowse.example.com/watch/join/${TICKET}`,
  'an encoded Watch address': encodeURIComponent(`https://cobrowse.example.com/watch/${TICKET}`),
  'an encoded watch link': encodeURIComponent(WATCH_LINK),
  'a watch link in an address in an address': encodeURIComponent(
    `https://a.example/?to=${encodeURIComponent(WATCH_LINK)}`,
  ),
  'a watch link that was encoded three times': encodeURIComponent(
    encodeURIComponent(encodeURIComponent(WATCH_LINK)),
  ),
  'a watch link encoded in small letters': encodeURIComponent(WATCH_LINK).toLowerCase(),
  'the encoded path of a Watch address': encodeURIComponent(`/watch/${TICKET}`),
  'a session-end address': `https://cobrowse.example.com/webhooks/session-end/${TICKET}?x=y`,
  'the short password of a database': 'postgres://app:tops3c@db.example/cobrowse',
  'a response address': hook,
  'a response address as other programs write JSON': hook.replaceAll('/', '\\/'),
};

describe('a line of the log', () => {
  const cases = Object.keys(secrets).flatMap((secret) => Object.keys(places).map((place) => [secret, place]));

  it.each(cases)('never contains %s put into %s', (secret = '', place = '') => {
    const { log, text, last } = loggingTo();
    const [first, ...rest] = places[place]?.(secrets[secret] ?? '') ?? [];
    log.error(Object(first), ...rest.map(String));
    expectClean(text());
    expect(last()).toMatchObject({ level: 50 });
  });

  it.each(['watch_url', 'proxy_url', 'response_url', 'trigger_id', 'licenseToken'])(
    'has not the value of %s, as a field or in text of any depth',
    (name) => {
      const { log, text, last } = loggingTo();
      const once = JSON.stringify({ [name]: WATCH_LINK, other: 'kept' });
      const escaped = once.replaceAll('/', '\\/');
      log.info({ reply: { [name]: WATCH_LINK } }, once);
      log.info({ body: JSON.stringify({ once }), again: JSON.stringify([JSON.stringify([once])]) });
      log.info({ escaped, twice: JSON.stringify({ escaped }) });
      expectClean(text());
      expect(text()).toContain('kept');
      expect(last()).toMatchObject({ level: 30 });
    },
  );

  it('keeps what isn’t secret', () => {
    const { log, last } = loggingTo();
    const fields = { visitorId: 'jane4821', delivery: 'a1', url: 'https://shop.example/watch/tv' };
    log.info(fields, 'watch/ing x-ray');
    expect(last()).toMatchObject({ ...fields, msg: 'watch/ing x-ray' });
  });

  it('has its time, and nothing about the machine', () => {
    const { log, last } = loggingTo();
    log.info('hello');
    expect(Object.keys(Object(last()))).toEqual(['level', 'time', 'msg']);
    expect(last()).toMatchObject({ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
  });

  it('has the stack and the causes of an error', () => {
    const { log, text } = loggingTo();
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed');
    expect(text()).toContain('outer: inner');
    expect(text()).toContain('log.test.ts');
  });

  it('has each error of a library’s own list, even if that has the error itself', () => {
    const { log, last } = loggingTo();
    const originals = [new Error('first'), new TypeError('second')];
    const err = Object.assign(new Error('several'), { originals });
    originals.push(err);
    log.error({ err }, 'failed');
    expect(last()).toMatchObject({
      err: {
        message: 'several',
        originals: [
          { type: 'Error', message: 'first', stack: expect.stringContaining('log.test.ts') },
          { type: 'TypeError', message: 'second' },
          { message: 'several' },
        ],
      },
    });
  });

  it('is just as clean with fields that are in every line', () => {
    const { log, text } = loggingTo();
    const child = log.child({ token: botToken('topsecret') }).child({ key: API_KEY });
    child.warn('told often');
    expectClean(text());
    expect(text()).toContain('told often');
  });

  it('from Bolt is just as clean, and its chatter is for debugging', () => {
    const { log, text, last } = loggingTo();
    const logger = createSlackLogger(log);
    logger.error('failed', new Error(botToken('topsecret')), { response_url: hook });
    logger.info(`at ${hook}`);
    expect(last()).toMatchObject({ level: 20, from: 'bolt' });
    expectClean(text());
  });
});

const page = (request: string) => `<html lang="en">\nNot "allowed":\n    at all ${request}`;

describe('a line about a proxy’s page instead of Slack’s answer', () => {
  const blocks = JSON.stringify([{ type: 'button', url: WATCH_LINK }]);
  const pages = {
    'as a form': page(new URLSearchParams({ channel: 'C1', blocks }).toString()),
    'as a form, quoted': page(encodeURIComponent(new URLSearchParams({ blocks }).toString())),
    'as JSON': page(blocks),
    'as HTML': page(blocks.replaceAll('"', '&quot;')),
    'after a word': `Forbidden\n${blocks}`,
  };

  it.each(Object.entries(pages))('contains nothing of a request that the page repeats %s', (_form, text) => {
    const { log, text: written, last } = loggingTo();
    const said = new WebAPIPlatformError({ ok: false, error: text });
    const refused = new WebAPIHTTPError(403, 'no', { 'x-request': text }, text);
    const errors = [
      said,
      refused,
      new WebAPIRequestError(said),
      new Error('outer', { cause: said }),
      new AggregateError([said, refused], 'several'),
      Object.assign(new Error('several'), { originals: [said, refused] }),
      Object.assign(new Error('outer'), { original: refused }),
    ];
    for (const err of errors) log.error({ err }, `failed: ${err.message}`);
    createSlackLogger(log).error('failed', said);
    expectClean(written());
    expect(written()).not.toContain('service.example');
    expect(last()).toMatchObject({ msg: 'failed An API error occurred: [no code of Slack]' });
  });

  it('has what Slack itself says', () => {
    const { log, text, last } = loggingTo();
    const answer = { ok: false, error: 'missing_scope', needed: 'im:write' };
    log.error({ err: new WebAPIPlatformError(answer) }, 'failed');
    const { ok: _, ...data } = answer;
    expect(last()).toMatchObject({ err: { message: 'An API error occurred: missing_scope', data } });
    expect(text()).toContain('log.test.ts');
  });
});

describe('the scrubber', () => {
  it.each([
    [
      'removes the longer of two secrets with the same beginning',
      ['secret-01', 'secret-01-and-more'],
      'a secret-01-and-more b secret-01 c',
      'a [secret] b [secret] c',
    ],
    [
      'doesn’t treat a short word as a secret: it would black out the log',
      ['a', ''],
      'a bad apple',
      'a bad apple',
    ],
    ['treats the characters of a secret literally', ['(a+)+$.*[x'], 'x (a+)+$.*[x aaaa', 'x [secret] aaaa'],
  ])('%s', (_what, hidden, text, scrubbed) => expect(createScrubber(hidden)(text)).toBe(scrubbed));

  it('is fast with long lines that nearly look like secrets', () => {
    const scrub = createScrubber([]);
    const long = [
      '\\'.repeat(200_000),
      '"watch_url":"'.repeat(20_000),
      'xoxb'.repeat(50_000),
      '/watch/'.repeat(50_000),
      'https%3A%2F%2F'.repeat(20_000),
      `%${'25'.repeat(100_000)}`,
      '%2Fwatch%2F'.repeat(50_000),
      'An API error occurred: '.repeat(20_000),
      `An API error occurred: ${'\\'.repeat(200_000)}`,
    ];
    expect(long.map((line) => scrub(line).length > 0)).toEqual(long.map(() => true));
    expect(scrub(`"watch_url":"${'\\'.repeat(200_000)}`).length).toBeGreaterThan(0);
  });
});
