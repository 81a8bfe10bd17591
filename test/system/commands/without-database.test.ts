import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { openAuditBeside } from '../../support/audit-beside.ts';
import { PATIENT_MS } from '../../support/checked-sandbox.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { ALEX, SAM, personIn, readable } from '../../support/person.ts';
import { startGate } from '../../support/postgres-gate.ts';
import { startForMany } from '../../workspaces/many-stage.ts';

const MINUTE_MS = 60_000;
const NOT_CHECKED =
  'I couldn’t check your permission, so nothing was done: the app can’t read its database right now.\n' +
  'Try again in a minute. If this keeps happening, tell your admin.';

/** A database, and a way to it that can be shut. */
async function openGated() {
  const url = await postgresql.newUrl();
  return { gate: await startGate(new URL(url)), beside: await openAuditBeside(url) };
}

describe.skipIf(!hasPostgres)('the app without its database', () => {
  it('finds customers and ends sessions by what it read in the last hour, records that later, and then says that it can’t check', async () => {
    const { gate, beside } = await openGated();
    let passed = 0;
    const now = () => Date.now() + passed;
    const { sandbox, lines } = await startForMany({
      storeUrl: gate.url,
      connects: true,
      sandboxOptions: { now },
      appOptions: { now, pageWaitMs: PATIENT_MS },
    });
    const [alex, sam] = [personIn(sandbox), personIn(sandbox, SAM)];
    const told = async (typed: string) => readable((await sam.type(`/cobrowse ${typed}`)).blocks);
    const redirect = await alex.watch(await alex.type('/cobrowse watch jane4821'));
    await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    gate.shut();

    passed = 59 * MINUTE_MS;
    expect(await told('find jane@acme.com')).toContain('Jane Cooper');
    const question = await sam.type('/cobrowse stop jane4821');
    const answer = await sam.stop(() => sam.press(question, /^Stop/), 'Lunch');
    expect(readable(answer.blocks)).toBe(
      `The session with Jane Cooper was stopped by <@${SAM}>.\nYour reason won’t be posted: I couldn’t save it.`,
    );
    expect(sandbox.service.sessions().filter(({ ended_at }) => ended_at === null)).toEqual([]);
    expect(lines.filter((line) => /"action":"stop".*"msg":"audit"/.test(line))).toHaveLength(1);
    // Whatever needs a record isn't done.
    expect(await told('subscribe all here')).toMatch(/wasn’t done|can’t tell whether this was done/);

    passed = 61 * MINUTE_MS;
    const { length: asked } = sandbox.service.requests;
    for (const typed of ['find jane', 'stop jane', 'usage', 'help'])
      expect(await told(typed)).toBe(NOT_CHECKED);
    expect(sandbox.service.requests).toHaveLength(asked);
    gate.reopen();
    await expect.poll(() => told('find jane'), { timeout: 20_000 }).toContain('Jane Cooper');
    await expect.poll(() => beside.recorded('stop')).toEqual([`done by ${SAM}`]);
    expect(await beside.recorded('search')).toEqual(
      expect.arrayContaining([`done by ${ALEX}`, ...Array(3).fill(`done by ${SAM}`)]),
    );
  });

  it('says that it couldn’t check a permission where it has read no rules, and records that later', async () => {
    const { gate, beside } = await openGated();
    const sandbox = await startSandbox({ paceMs: 0, storeUrl: gate.url });
    onTestFinished(() => sandbox.close());
    gate.shut();
    const sam = personIn(sandbox, SAM);
    for (const typed of ['find jane', 'stop jane'])
      expect(readable((await sam.type(`/cobrowse ${typed}`)).blocks)).toBe(NOT_CHECKED);
    gate.reopen();
    await expect
      .poll(() => beside.recorded('refusal'))
      .toEqual([`unchecked by ${SAM}`, `unchecked by ${SAM}`]);
  });
});
