import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { openAuditBeside } from '../../support/audit-beside.ts';
import { PATIENT_MS, keptLog } from '../../support/checked-sandbox.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { ALEX, SAM, personIn, readable } from '../../support/person.ts';
import { startGate } from '../../support/postgres-gate.ts';

/** The real app, with a way to its database that can be shut. */
async function start() {
  const url = await postgresql.newUrl();
  const gate = await startGate(new URL(url));
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, storeUrl: gate.url, log });
  onTestFinished(() => sandbox.close());
  return { sandbox, gate, lines, beside: await openAuditBeside(url) };
}

describe.skipIf(!hasPostgres)('without its database', () => {
  it('the app finds customers and ends sessions by the rules it read last, and records that later', async () => {
    const { sandbox, gate, lines, beside } = await start();
    const [alex, sam] = [personIn(sandbox), personIn(sandbox, SAM)];
    const redirect = await alex.watch(await alex.type('/cobrowse watch jane4821'));
    await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    gate.shut();

    expect(readable((await sam.type('/cobrowse find jane@acme.com')).blocks)).toContain('Jane Cooper');
    const question = await sam.type('/cobrowse stop jane4821');
    expect(readable(question.blocks)).toContain('Jane Cooper');
    const answer = await sam.stop(() => sam.press(question, /^Stop/), 'Lunch');
    expect(readable(answer.blocks)).toBe(
      `The session with Jane Cooper was stopped by <@${SAM}>.\nYour reason won’t be posted: I couldn’t save it.`,
    );
    expect(sandbox.service.sessions().filter(({ ended_at }) => ended_at === null)).toEqual([]);
    expect(
      lines.filter((line) => line.includes('"action":"stop"') && line.includes('"msg":"audit"')),
    ).toHaveLength(1);
    // Whatever needs a record still isn't done.
    const { blocks } = await alex.type('/cobrowse subscribe all here');
    expect(readable(blocks)).toMatch(/wasn’t done|can’t tell whether this was done/);

    gate.reopen();
    await expect.poll(() => beside.recorded('stop')).toEqual([`done by ${SAM}`]);
    expect(await beside.recorded('search')).toEqual([`done by ${ALEX}`, `done by ${SAM}`, `done by ${SAM}`]);
  });

  it('the app says that it couldn’t check a permission where it has read no rules', async () => {
    const { sandbox, gate, beside } = await start();
    gate.shut();
    const sam = personIn(sandbox, SAM);
    for (const typed of ['find jane', 'stop jane'])
      expect(readable((await sam.type(`/cobrowse ${typed}`)).blocks)).toBe(
        'I couldn’t check your permission, so nothing was done: the app can’t read its database right now.\n' +
          'Try again in a minute. If this keeps happening, tell your admin.',
      );
    gate.reopen();
    await expect
      .poll(() => beside.recorded('refusal'))
      .toEqual([`unchecked by ${SAM}`, `unchecked by ${SAM}`]);
  });
});
