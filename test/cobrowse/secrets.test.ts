import { inspect } from 'node:util';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { connect, origin, rejection, sam } from './stage.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const apiKey = 'sk-Top.Secret+1';
const link = `${origin}/w/link-secret`;

type Client = ReturnType<typeof connect>;
const usage = (client: Client) => client.usage();
const watch = (client: Client) => client.createWatchLink('v1', { agent: sam });
const search = (client: Client) => client.listVisitors({ search: 'query-secret', limit: 1 });

/** In everything of an error that could reach a log. */
function secretsIn(error: unknown): readonly string[] {
  const shown = inspect(error, { depth: 20, showHidden: true, getters: true });
  return (
    `${shown}${JSON.stringify(error)}${String(error)}`.match(/Top\.Secret|link-secret|query-secret/g) ?? []
  );
}

/** What a network failure may repeat of the request. */
const repeated = Object.assign(new Error(`failed: {"x-api-key":"${apiKey}"} at ${link}`), {
  code: 'ECONNREFUSED',
  request: { headers: { 'x-api-key': apiKey } },
});

describe('an error of the co-browsing client', () => {
  it.each<[string, (service: nock.Scope) => void, (client: Client) => Promise<unknown>, object]>([
    [
      'the key where a network failure repeats the request',
      (service) => service.get('/v1.3/usage').replyWithError(repeated),
      usage,
      { kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') },
    ],
    [
      'the key that a refusal repeats',
      (service) => service.get('/v1.3/usage').reply(401, { error: `unknown key ${apiKey}` }),
      usage,
      { kind: 'refused-key', code: undefined },
    ],
    [
      'a link in an answer that isn’t JSON',
      (service) => service.post(/watch_url$/).reply(200, `{"watch_url":"${link}",}`),
      watch,
      { kind: 'not-understood' },
    ],
    [
      'a link in an answer of another shape',
      (service) => service.post(/watch_url$/).reply(200, { watch_url: [link], [link]: link, status: link }),
      watch,
      { message: expect.stringContaining('watch_url') },
    ],
    [
      'what was searched for and where a redirect leads',
      (service) => service.get('/v1.3/list').query(true).reply(302, '', { location: link }),
      search,
      { status: 302 },
    ],
  ])('hides %s', async (_what, reply, call, expected) => {
    reply(nock(origin));
    const error = await rejection(call(connect(origin, { apiKey })));
    expect(error).toMatchObject(expected);
    expect(secretsIn(error)).toEqual([]);
  });

  it('hides secrets in all it carries, and where it is a cause itself', () => {
    const message = `GET ${link} with ${apiKey}`;
    const error = new CobrowseError('busy', message, { code: `${link} ${apiKey}`, secrets: [apiKey] });
    expect(secretsIn(error)).toEqual([]);
    expect(secretsIn(new Error('further up', { cause: error }))).toEqual([]);
    expect(error.message).toBe('GET [link] with [secret]');
  });

  it('doesn’t show the key in the client itself', () => {
    expect(secretsIn(connect(origin, { apiKey }))).toEqual([]);
  });
});
