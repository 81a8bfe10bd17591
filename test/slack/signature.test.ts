import { isValidSlackRequest } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSignatureCheck } from '../../src/slack/signature.ts';
import { signatureOf, signedHeaders } from '../support/signed.ts';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const noonS = Date.UTC(2026, 0, 1, 12) / 1_000;
const check = createSignatureCheck(SECRET, () => noonS * 1_000);
const body = 'command=%2Fcobrowse&text=find+jane';

/** The verdict over a body that was signed at this time. */
function verdictAt(timestamp: string, signedBody: string | Buffer = body) {
  return check(signatureOf(SECRET, timestamp, signedBody), timestamp, Buffer.from(signedBody));
}

describe('the signature of a request from Slack', () => {
  it('is the one of Slack’s own documentation', () => {
    const documented =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const at = createSignatureCheck(SECRET, () => 1_531_420_618_000);
    const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
    expect(at(signature, '1531420618', Buffer.from(documented))).toBe('good');
  });

  it('is good over any bytes', () => {
    expect(verdictAt(String(noonS), '')).toBe('good');
    expect(verdictAt(String(noonS), 'text=héllo 🎉')).toBe('good');
    expect(verdictAt(String(noonS), Buffer.from([0xff, 0xfe, 0x00, 0x80]))).toBe('good');
  });

  it.each([
    [-300, 'good'],
    [-301, 'stale'],
    [-3_600, 'stale'],
    [300, 'good'],
    [301, 'stale'],
    [3_600, 'stale'],
  ])('made %i s from now is %s', (seconds, verdict) => {
    expect(verdictAt(String(noonS + seconds))).toBe(verdict);
  });

  it.each([
    ['neither is there', undefined, undefined],
    ['the signature is not', undefined, String(noonS)],
    ['the time is not', signatureOf(SECRET, String(noonS), body), undefined],
    ['the signature is empty', '', String(noonS)],
    ['the time is empty', signatureOf(SECRET, '', body), ''],
    ['headers come as lists', [signatureOf(SECRET, String(noonS), body)], [String(noonS)]],
  ])('is missing where %s', (_, signature, timestamp) => {
    expect(check(signature, timestamp, Buffer.from(body))).toBe('missing');
  });

  it.each(['NaN', 'now', '-1', '1e9', `${noonS}.5`, ` ${noonS}`, `0x${noonS.toString(16)}`, '9'.repeat(13)])(
    'over the time %s is wrong',
    (timestamp) => {
      expect(verdictAt(timestamp)).toBe('wrong');
    },
  );

  const good = signatureOf(SECRET, String(noonS), body);
  it.each([
    ['another secret', signatureOf('another', String(noonS), body)],
    ['another time', signatureOf(SECRET, String(noonS - 1), body)],
    ['another body', signatureOf(SECRET, String(noonS), `${body}&x=y`)],
    ['no version', good.slice(3)],
    ['another version', good.replace('v0', 'v1')],
    ['only the version', 'v0='],
    ['a part of it', good.slice(0, -1)],
    ['more behind it', `${good}0`],
    ['itself twice', `${good}, ${good}`],
    ['upper case', good.toUpperCase()],
    ['characters of several bytes', `v0=${'é'.repeat(32)}`],
  ])('is wrong with %s', (_, signature) => {
    expect(check(signature, String(noonS), Buffer.from(body))).toBe('wrong');
  });

  it('is wrong when any bit of the body was altered', () => {
    const bytes = Buffer.from(body);
    const verdicts = Array.from(bytes, (byte, index) => {
      const copy = Buffer.from(bytes);
      copy[index] = byte ^ 1;
      return check(good, String(noonS), copy);
    });
    expect(verdicts).toEqual(Array.from(bytes, () => 'wrong'));
  });
});

interface Mutated {
  readonly body: string;
  /** From now. */
  readonly seconds: number;
  readonly secret: string;
  readonly alter: string;
  readonly at: number;
}

describe('the signature check beside Bolt’s own', () => {
  const seconds = fc.oneof(
    fc.integer({ min: -310, max: 300 }),
    fc.constantFrom(-302, -301, -300, -299, 299, 300),
  );
  const requests: fc.Arbitrary<Mutated> = fc.record({
    body: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(body)),
    seconds,
    secret: fc.oneof({ weight: 3, arbitrary: fc.constant(SECRET) }, { weight: 1, arbitrary: fc.string() }),
    alter: fc.constantFrom(
      'nothing',
      'nothing',
      'signature',
      'version',
      'body',
      'time',
      'cut',
      'longer',
      'no signature',
    ),
    at: fc.nat(66),
  });

  function altered({ body: text, seconds: apart, secret, alter, at }: Mutated) {
    const headers = signedHeaders(secret === '' ? 'empty' : secret, text, (noonS + apart) * 1_000);
    const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = headers;
    const request = { text, signature, timestamp };
    if (alter === 'signature') {
      return { ...request, signature: `${signature.slice(0, at)}g${signature.slice(at + 1)}` };
    }
    if (alter === 'version') return { ...request, signature: signature.replace('v0', `v${at}`) };
    if (alter === 'body') return { ...request, text: `${text}.` };
    if (alter === 'time') return { ...request, timestamp: String(Number(timestamp) - 1) };
    if (alter === 'cut') return { ...request, signature: signature.slice(0, at) };
    if (alter === 'longer') return { ...request, signature: `${signature}${'0'.repeat(at)}` };
    return alter === 'no signature' ? { ...request, signature: '' } : request;
  }

  it('says the same of any request that is not from the future', () => {
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(requests, (request) => {
        const { text, signature, timestamp } = altered(request);
        const bolts = isValidSlackRequest({
          signingSecret: SECRET,
          body: text,
          headers: {
            'x-slack-signature': signature,
            'x-slack-request-timestamp': Number(timestamp),
          },
          nowMilliseconds: noonS * 1_000,
        });
        verdicts.add(bolts);
        expect(check(signature, timestamp, Buffer.from(text)) === 'good').toBe(bolts);
      }),
      { numRuns: 1_000 },
    );
    expect(verdicts.size).toBe(2);
  });

  it('is the stricter one about requests from the future', () => {
    const timestamp = String(noonS + 3_600);
    const signature = signatureOf(SECRET, timestamp, body);
    const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': Number(timestamp) };
    const nowMilliseconds = noonS * 1_000;
    expect(isValidSlackRequest({ signingSecret: SECRET, body, headers, nowMilliseconds })).toBe(true);
    expect(check(signature, timestamp, Buffer.from(body))).toBe('stale');
  });

  it('is the stricter one about words behind the signature', () => {
    const { 'x-slack-signature': signature } = signedHeaders(SECRET, body, noonS * 1_000);
    const headers = { 'x-slack-signature': `${signature}=x`, 'x-slack-request-timestamp': noonS };
    const nowMilliseconds = noonS * 1_000;
    expect(isValidSlackRequest({ signingSecret: SECRET, body, headers, nowMilliseconds })).toBe(true);
    expect(check(`${signature}=x`, String(noonS), Buffer.from(body))).toBe('wrong');
  });
});
