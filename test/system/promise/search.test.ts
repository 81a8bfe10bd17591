import { describe, expect, it } from 'vitest';
import { findSecrets, placeOf } from './search.ts';

const secret = { name: 'the link', value: 'https://live.example/s?key=kQ3v9xZt7LpW2mNc8RbY' };
const token = { name: 'the token', value: 'kQ3v9xZt7LpW2mNc8RbY' };
const place = (content: string) => [placeOf('the log', content)];

describe('the search for secrets', () => {
  it.each([
    ['as it is', `before ${secret.value} after`],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ url: secret.value }))],
    ['cut off at its end', 'https://live.example/s?key=kQ3v9…'],
    ['with nothing but a piece of its middle', '…Zt7LpW2mNc8R…'],
    ['in base64', Buffer.from(`x${secret.value}`).toString('base64')],
    ['in base64url, elsewhere', Buffer.from(`xyz12${secret.value}yz`).toString('base64url')],
    ['in hexadecimal', Buffer.from(secret.value).toString('hex')],
    ['encoded for an address', `?to=${encodeURIComponent(secret.value)}`],
  ])('finds one %s', (_, content) => {
    expect(findSecrets(place(content), [secret, token])).not.toEqual([]);
  });

  it('names the place and the secret, and never shows it', () => {
    expect(findSecrets(place(token.value), [token])).toEqual(['the token in the log']);
  });

  it('finds a short one as a whole', () => {
    const code = { name: 'the code', value: '4821' };
    expect(findSecrets(place('it is 4821.'), [code, token])).toEqual(['the code in the log']);
    expect(findSecrets(place('it is 482'), [code])).toEqual([]);
  });

  it('finds nothing where nothing is', () => {
    expect(findSecrets(place('https://live.exa kQ3v9xZt7 Lp'), [token])).toEqual([]);
    expect(findSecrets([], [token])).toEqual([]);
  });
});
