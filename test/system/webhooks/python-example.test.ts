import { execFileSync, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createWebhookSecret, signatureHeaders } from '../../../src/webhooks/sign.ts';

const page = await readFile(new URL('../../../docs/outgoing-webhooks.md', import.meta.url), 'utf8');
const body = '{"type":"test","data":{"name":"Zoë 😀"}}';
const [current, previous, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
const headersAt = (at: number) => signatureHeaders({ id: 'msg_1', at, body }, [current, previous]);
const cases = [
  { secret: current, at: Date.now(), sent: body, isGood: true },
  { secret: previous, at: Date.now(), sent: body, isGood: true },
  { secret: other, at: Date.now(), sent: body, isGood: false },
  { secret: current, at: Date.now(), sent: `${body} `, isGood: false },
  { secret: current, at: Date.now() - 6 * 60_000, sent: body, isGood: false },
];

const hasPython = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!hasPython)(
  'the Python of the page about outgoing webhooks verifies what the app signs, and nothing else',
  () => {
    const [, source = ''] = /```python\n(.*?)```/s.exec(page) ?? [];
    // It reads the machine's clock, which isn't the test's.
    const asked = `import json, sys
time.time = lambda: ${Date.now() / 1_000}
for secret, headers, body in json.load(sys.stdin):
  print(is_from_the_app(secret, headers, body.encode()))
`;
    const said = execFileSync('python3', ['-c', `${source}\n${asked}`], {
      input: JSON.stringify(cases.map(({ secret, at, sent }) => [secret.reveal(), headersAt(at), sent])),
      encoding: 'utf8',
    });
    expect(said.trim().split('\n')).toEqual(cases.map(({ isGood }) => (isGood ? 'True' : 'False')));
  },
);
