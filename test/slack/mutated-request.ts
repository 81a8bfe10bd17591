import fc from 'fast-check';
import { FORM, JSON_TYPE, signatureOf } from '../support/signed.ts';

/*
 * Requests in Slack's name, first well signed and then spoiled, as the bytes that go over the wire: what a doubled
 * header or a space in one turns into is decided by the real parser.
 */

export const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
/** When the requests are received, seconds since 1970. */
export const RECEIVED_S = Date.UTC(2026, 0, 1, 12) / 1_000;

/** How the time is written. */
const TIME_FORMS = {
  plain: String,
  'a plus': (s: number) => `+${s}`,
  'a zero before': (s: number) => `0${s}`,
  'a fraction of nothing': (s: number) => `${s}.0`,
  'a fraction': (s: number) => `${s}.5`,
  exponent: (s: number) => `${s}e0`,
  hexadecimal: (s: number) => `0x${s.toString(16)}`,
  milliseconds: (s: number) => `${s}000`,
  negative: (s: number) => `-${s}`,
  'a space inside': (s: number) => `${String(s).slice(0, 4)} ${String(s).slice(4)}`,
  words: () => 'now',
  infinite: () => 'Infinity',
  nothing: () => '',
} as const satisfies Record<string, (s: number) => string>;
type TimeForm = keyof typeof TIME_FORMS;
const isTimeForm = (name: string): name is TimeForm => name in TIME_FORMS;
const timeForms = Object.keys(TIME_FORMS).filter(isTimeForm);

/** Ways to change a signature. `at` is any place in it. */
const SIGNATURE_FORMS: readonly ((signature: string, at: number) => string)[] = [
  (signature, at) => signature.slice(0, at),
  (signature, at) => signature + '0'.repeat(at + 1),
  (signature, at) =>
    `${signature.slice(0, at)}${signature[at] === 'a' ? 'b' : 'a'}${signature.slice(at + 1)}`,
  (signature, at) => `${signature.slice(0, at)} ${signature.slice(at)}`,
  (signature) => signature.toUpperCase(),
  (signature) => `V0${signature.slice(2)}`,
  (signature, at) => `v${at}${signature.slice(2)}`,
  (signature) => signature.slice(3),
  (signature) => signature.replace('=', ':'),
  (signature) => `${signature}=`,
  (signature, at) => `${signature}=${at}`,
  (signature) => `"${signature}"`,
  (signature) => `${signature}, ${signature}`,
  (signature) => `v0=${Buffer.from(signature.slice(3), 'hex').toString('base64')}`,
  () => '',
  () => 'v0=',
  () => `v0=${'é'.repeat(32)}`,
];

/** Ways to change a body after it was signed. */
const BODY_FORMS: readonly ((body: Buffer, at: number) => Buffer)[] = [
  (body, at) => Buffer.from(body.map((byte, index) => (index === at % body.length ? byte ^ 1 : byte))),
  (body, at) => body.subarray(0, at % (body.length + 1)),
  (body) => Buffer.concat([body, Buffer.from('&x=y')]),
  (body) => Buffer.concat([body, Buffer.from('\r\n')]),
  (body) => Buffer.concat([Buffer.from('\uFEFF'), body]),
  (body) => Buffer.concat([body, Buffer.from([0])]),
  (body) => Buffer.from(body.toString('latin1').replaceAll('+', '%20'), 'latin1'),
  (body) => Buffer.from(body.toString('latin1').toUpperCase(), 'latin1'),
];

const headerNames = ['X-Slack-Signature', 'x-slack-signature', 'X-SLACK-SIGNATURE'] as const;
const timeNames = [
  'X-Slack-Request-Timestamp',
  'x-slack-request-timestamp',
  'X-SLACK-REQUEST-TIMESTAMP',
] as const;
const spaces = fc.constantFrom('', '', '', ' ', '\t', '  \t ');
const presence = fc.constantFrom(
  ...Array.from({ length: 12 }, () => 'once' as const),
  'never',
  'twice',
  'beside another',
);

const bodies = fc.oneof(
  fc
    .constantFrom(
      'command=%2Fcobrowse&text=find+jane&user_id=U0ALEX00001&team_id=T0ACME00000&channel_id=C0SUPPORT01',
      'payload=%7B%22type%22%3A%22block_actions%22%7D',
      '{"type":"event_callback","event":{"type":"app_home_opened","tab":"home"}}',
      '',
    )
    .map((text) => Buffer.from(text)),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

const mutations = fc.record({
  body: bodies,
  /** From the time of receipt. */
  secondsApart: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -300, max: 300 }) },
    { weight: 1, arbitrary: fc.integer({ min: -400, max: 400 }) },
    { weight: 1, arbitrary: fc.constantFrom(-302, -301, -300, -299, 299, 300, 301, 302, -86_400, 86_400) },
  ),
  secret: fc.oneof(
    { weight: 12, arbitrary: fc.constant(SECRET) },
    { weight: 1, arbitrary: fc.constantFrom(`${SECRET} `, SECRET.slice(1), SECRET.toUpperCase(), 'x') },
  ),
  timeForm: fc.oneof(
    { weight: 3, arbitrary: fc.constant<TimeForm>('plain') },
    { weight: 1, arbitrary: fc.constantFrom(...timeForms) },
  ),
  /** Over which spelling of the time it is signed. */
  signs: fc.constantFrom('as sent', 'as a number'),
  /** Over which form of the body it is signed. */
  over: fc.constantFrom('bytes', 'bytes', 'bytes', 'text'),
  signatureForm: fc.option(fc.nat(SIGNATURE_FORMS.length - 1), { freq: 2 }),
  bodyForm: fc.option(fc.nat(BODY_FORMS.length - 1), { freq: 2 }),
  at: fc.nat(66),
  signatureName: fc.constantFrom(...headerNames),
  timeName: fc.constantFrom(...timeNames),
  signaturePresence: presence,
  timePresence: presence,
  space: fc.tuple(spaces, spaces, spaces, spaces),
  type: fc.constantFrom(FORM, JSON_TYPE, `${FORM}; charset=utf-8`, 'text/plain', ''),
  chunked: fc.boolean(),
});
type Mutation = typeof mutations extends fc.Arbitrary<infer Value> ? Value : never;

/** A header as often as it is to be there. */
function lines(name: string, value: string, times: string): string[] {
  if (times === 'never') return [];
  const line = `${name}:${value}`;
  if (times === 'once') return [line];
  return [line, times === 'twice' ? line : `${name.toLowerCase()}: v0=0`];
}

function framed(body: Buffer, chunked: boolean): { readonly header: string; readonly bytes: Buffer } {
  if (!chunked) return { header: `Content-Length: ${body.length}`, bytes: body };
  const parts = [body.subarray(0, 7), body.subarray(7)].filter((part) => part.length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);
  return {
    header: 'Transfer-Encoding: chunked',
    bytes: Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]),
  };
}

function write(mutation: Mutation): Buffer {
  const { body, secondsApart, secret, timeForm, signs, over, at, space, type } = mutation;
  const seconds = RECEIVED_S + secondsApart;
  const time = TIME_FORMS[timeForm](seconds);
  const signed = signatureOf(
    secret,
    signs === 'as sent' ? time : String(Number(time)),
    over === 'bytes' ? body : body.toString('utf8'),
  );
  const { signatureForm, bodyForm } = mutation;
  const signature = SIGNATURE_FORMS[signatureForm ?? -1]?.(signed, at) ?? signed;
  const sent = body.length === 0 ? body : (BODY_FORMS[bodyForm ?? -1]?.(body, at) ?? body);
  const { header, bytes } = framed(sent, mutation.chunked);
  const head = [
    'POST /slack/events HTTP/1.1',
    'Host: cobrowse.example.com',
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    ...lines(mutation.signatureName, `${space[0]}${signature}${space[1]}`, mutation.signaturePresence),
    ...lines(mutation.timeName, `${space[2]}${time}${space[3]}`, mutation.timePresence),
    header,
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** The bytes of one request each. */
export const mutatedRequests: fc.Arbitrary<Buffer> = mutations.map(write);
