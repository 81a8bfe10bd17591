import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT_MS } from '../../support/checked-sandbox.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { SUPPORT, personIn, readable } from '../../support/person.ts';

describe.each(engines)('the main job, without a browser, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, storeUrl: storeUrl() });
  });
  afterAll(() => sandbox.close());

  it('goes from find over Watch to the summary in the channel', async () => {
    const alex = personIn(sandbox);
    const list = await alex.type('/cobrowse find jane@acme.com');
    expect(list.ephemeral).toBe(true);
    expect(readable(list.blocks)).toContain('Jane Cooper');
    expect(readable(list.blocks)).not.toContain('secret');

    const redirect = await alex.watch(list, /^Watch the screen of Jane Cooper/);
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('cache-control')).toBe('no-store');
    expect(redirect.headers.get('referrer-policy')).toBe('no-referrer');

    const link = redirect.headers.get('location') ?? '';
    const session = await sandbox.service.openWatchLink(link);
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(summary.text).toContain('Jane Cooper with Alex Rivera');
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(link);
  });
});
