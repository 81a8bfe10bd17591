import { describe, expect, it } from 'vitest';
import { createSignatureCheck } from '../../src/slack/receiver.ts';
import { signatureOf } from '../support/signed.ts';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const noonS = Date.UTC(2026, 0, 1, 12) / 1_000;
const noon = String(noonS);
const check = createSignatureCheck(SECRET, () => noonS * 1_000);
const body = 'command=%2Fcobrowse&text=find+jane';

/** The verdict over a body that was signed at this time. */
function verdictAt(timestamp: string, signedBody: string | Buffer = body) {
  return check(signatureOf(SECRET, timestamp, signedBody), timestamp, Buffer.from(signedBody));
}

describe('the signature of a request from Slack', () => {
  it('is the one in Slack’s documentation', () => {
    const documented =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const at = createSignatureCheck(SECRET, () => 1_531_420_618_000);
    const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
    expect(at(signature, '1531420618', Buffer.from(documented))).toBe('good');
  });

  it('is stale from five minutes before now or after it', () => {
    const verdicts = [-301, -300, 300, 301].map((seconds) => verdictAt(String(noonS + seconds)));
    expect(verdicts).toEqual(['stale', 'good', 'good', 'stale']);
  });

  const good = signatureOf(SECRET, noon, body);

  it.each([
    ['neither is there', undefined, undefined],
    ['the signature is not', undefined, noon],
    ['the time is not', good, undefined],
    ['headers come as lists', [good], [noon]],
  ])('is missing if %s', (_, signature, timestamp) => {
    expect(check(signature, timestamp, Buffer.from(body))).toBe('missing');
  });

  // JavaScript reads most of them as the same number, and so does Bolt.
  it.each([`+${noon}`, `0${noon}`, `${noon}.0`, `${noon}e0`, `-${noon}`, `${noon} `, 'now'])(
    'is wrong over the time %j',
    (timestamp) => {
      expect(verdictAt(timestamp)).toBe('wrong');
      expect(check(good, timestamp, Buffer.from(body))).toBe('wrong');
    },
  );

  it.each([
    ['cut short', good.slice(0, -1)],
    ['in capitals', good.toUpperCase()],
    ['of another version', `v1${good.slice(2)}`],
    ['without a version', good.slice(3)],
    ['of other letters', `v0=${'é'.repeat(32)}`],
    ['in base64', `v0=${Buffer.from(good.slice(3), 'hex').toString('base64')}`],
    ['made with another secret', signatureOf(`${SECRET} `, noon, body)],
  ])('is wrong if it is %s', (_, spoiled) => {
    expect(check(spoiled, noon, Buffer.from(body))).toBe('wrong');
  });
});
