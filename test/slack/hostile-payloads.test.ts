import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { signedSender } from '../support/signed.ts';
import { spoiledPayloads } from './spoiled-payload.ts';

describe('an unexpected payload with Slack’s signature', () => {
  it('is ignored or answered in words, and does no harm', async () => {
    const sandbox = await startSandbox({ log: keptLog().log });
    onTestFinished(() => sandbox.close());
    const send = signedSender(sandbox);
    const statuses: number[] = [];
    const wordless: string[] = [];
    await fc.assert(
      fc.asyncProperty(spoiledPayloads, async ({ body, type }) => {
        const answer = await send(body, { 'content-type': type });
        const text = await answer.text();
        statuses.push(answer.status);
        const isIn = answer.status === 200 || text === 'The app doesn’t understand the body.\n';
        if (!isIn) wordless.push(`${answer.status}: ${body}`);
      }),
      { numRuns: 1_000 },
    );
    expect(wordless).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(500);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // None of it got into Object.prototype.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
    expect((await fetch(`${sandbox.publicUrl}/healthz`)).status).toBe(200);
  });
});
