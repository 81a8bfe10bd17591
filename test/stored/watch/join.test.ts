import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { onlySqlite, engines, openUntilTestEnds, storeFor } from '../../support/engines.ts';
import { ALEX, SAM, personIn, readable } from '../../support/person.ts';
import { formIn, linksMade, open, submit, told, watchOf } from '../../watch/opening.ts';

describe.each(onlySqlite)('a second link to the same screen', () => {
  const clock = { aheadMs: 0 };
  const { sandbox, logLines } = checkedSandbox({
    now: () => Date.now() + clock.aheadMs,
    service: { sessionLimit: 100 },
  });

  /** Alex is given a link, a minute passes, and Sam presses Watch for the same visitor. */
  async function pressAfterAlex(visitorId: string) {
    // Slack's own clock does not go with it: a minute is all that a press may be late.
    clock.aheadMs = 0;
    const { person: alex, offer: first } = await watchOf(sandbox(), visitorId);
    await alex.watch(first);
    clock.aheadMs += 60_000;
    const { person: sam, offer, address } = await watchOf(sandbox(), visitorId, SAM);
    const before = linksMade(sandbox()).length;
    return { answer: await sam.watch(offer), address, before };
  }

  it('is asked about first, by name, and given to who says so, once', async () => {
    const { answer, address, before } = await pressAfterAlex('jane4821');
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain('<h1>Join them?</h1>');
    expect(page).toContain('Alex Rivera asked to see this screen 1 minute ago and may be watching.');
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
    expect(linksMade(sandbox()).length).toBe(before);
    const form = formIn(page, address);
    // A look at it is no answer.
    expect((await open(form)).status).toBe(405);
    const joined = await submit(form);
    expect(joined.status).toBe(303);
    expect(joined.headers.get('location')).toContain('/watch/');
    expect(linksMade(sandbox()).length).toBe(before + 1);
    const again = await submit(form);
    expect([again.status, linksMade(sandbox()).length]).toEqual([410, before + 1]);
    expect(logLines.join('')).not.toContain(form.pathname.slice(-40));
  });

  it('is not to be had by who may not watch any more, which is asked once', async () => {
    const { answer, address, before } = await pressAfterAlex('amara7');
    const form = formIn(await answer.text(), address);
    await told(sandbox().slack, () => sandbox().slack.changePerson(SAM, { deactivated: true }));
    const refused = await submit(form);
    sandbox().slack.changePerson(SAM, { deactivated: false });
    expect(refused.status).toBe(403);
    // The cards of the links before are posted beside this.
    const ofRights = new Set(['users.info', 'conversations.members']);
    const asked = () => sandbox().slack.calls.filter(({ method }) => ofRights.has(method)).length;
    const askedBefore = asked();
    expect([(await submit(form)).status, asked()]).toEqual([410, askedBefore]);
    expect(linksMade(sandbox()).length).toBe(before);
  });

  it('is not to be had two minutes later, nor by a made up answer', async () => {
    const { answer, address, before } = await pressAfterAlex('noah');
    const form = formIn(await answer.text(), address);
    clock.aheadMs += 2 * 60_000 + 1;
    const late = await submit(form);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('This page expired')]);
    const own = new URL(`join/${address.slice(address.lastIndexOf('/') + 1)}`, address);
    expect((await submit(own)).status).toBe(404);
    expect(linksMade(sandbox()).length).toBe(before);
  });
});

describe.each(engines)('a second link of one’s own to the same screen, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const { sandbox, logLines } = checkedSandbox(() => ({ storeUrl: storeUrl() }));

  it('is made only by who says that they want another, and the first is on no page', async () => {
    const { person: alex, offer: first } = await watchOf(sandbox(), 'jane4821');
    const link = (await alex.watch(first)).headers.get('location') ?? '';
    const { offer, address } = await watchOf(sandbox(), 'jane4821');
    const before = linksMade(sandbox()).length;
    const answer = await alex.watch(offer);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain('You asked to see this screen already. Look for it in your other tabs first.');
    expect(page).toContain('the customer is asked again');
    expect(page).not.toContain(link.slice(-20));
    expect(page).not.toContain('Alex Rivera');
    expect(linksMade(sandbox()).length).toBe(before);
    const form = formIn(page, address);
    const another = await submit(form);
    expect([another.status, linksMade(sandbox()).length]).toEqual([303, before + 1]);
    expect(another.headers.get('location')).not.toBe(link);
    expect(logLines.join('')).toContain('asked-to-open-again');
    // It's recorded with the press that asked for it, like any other link.
    const database = await openUntilTestEnds(storeUrl());
    const presses = await database.read(
      sql`SELECT proof_id FROM watch_links WHERE visitor_id = 'jane4821'`,
      z.object({ proof_id: z.string().length(32) }),
    );
    expect(new Set(presses.map(({ proof_id: id }) => id)).size).toBe(2);
  });
});

describe.each(onlySqlite)('a second link where the press itself brings it', () => {
  const { sandbox } = checkedSandbox({ socketMode: true });

  it('is asked about first, in the place of the message', async () => {
    const [alex, sam] = [personIn(sandbox()), personIn(sandbox(), SAM)];
    await alex.pressToReplace(await alex.type('/cobrowse watch jane4821'), /^Watch/);
    const question = await sam.pressToReplace(await sam.type('/cobrowse watch jane4821'), /^Watch/);
    expect(readable(question.blocks)).toContain(`<@${ALEX}> may already be watching`);
    expect(question.text).toMatch(/Join them\?\nJane Cooper.* · Asked: /);
    const before = linksMade(sandbox()).length;
    const ready = await sam.pressToReplace(question, /^Join/);
    expect(sam.button(ready, /^Open the live view/).url).toMatch(/^http/);
    expect(linksMade(sandbox()).length).toBe(before + 1);
  });
});
