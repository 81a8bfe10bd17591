import { describe, expect, it } from 'vitest';
import { sql } from '../../src/database/database.ts';
import { openAuditBeside } from '../support/audit-beside.ts';
import { engines } from '../support/engines.ts';
import { ALEX, KIM, SUPPORT, buttonsIn, personIn } from '../support/person.ts';
import { RANDOM, openStage } from './stage.ts';

describe.each(engines)('a subscription that cannot be read, in $engine', ({ newUrl }) => {
  it('is listed as such, and removed by who may, on record', async () => {
    const storeUrl = await newUrl();
    const { alex, posts, sandbox } = await openStage({ storeUrl });
    const { database, recorded } = await openAuditBeside(storeUrl);
    await alex.type('/cobrowse subscribe #random');
    await alex.type('/cobrowse subscribe short');
    await database.write(
      sql`UPDATE subscriptions SET filter = '{"countries":["NL"]}', version = version + 1 WHERE number = 2`,
    );
    const list = await alex.type('/cobrowse subscriptions');
    expect(list.text).toContain(`2. <#${SUPPORT}>: Can’t be read, so nothing is posted for it.`);
    expect(list.text).toContain(`1. <#${RANDOM}>: summaries of all co-browsing sessions, in full.`);
    expect(buttonsIn(list.blocks).map(({ accessibility_label: label }) => label)).toEqual([
      'Edit subscription 1',
      'Remove subscription 1',
      'Remove subscription 2',
    ]);

    sandbox.slack.leave({ channel: SUPPORT, user: KIM });
    const kim = personIn(sandbox, KIM, RANDOM);
    expect((await kim.type('/cobrowse unsubscribe 2')).text).toContain('I can’t find that subscription');

    const removed = await alex.pressFor(list, /^Remove subscription 2/);
    expect(removed.text).toBe(`Removed subscription 2 of <#${SUPPORT}>, which I couldn’t read.`);
    expect(posts(SUPPORT).at(-1)?.text).toContain(
      'removed a subscription of this channel that I couldn’t read',
    );
    expect((await alex.type('/cobrowse subscriptions')).text).not.toContain('Can’t be read');
    expect(await recorded('subscription')).toEqual([
      `set-up by ${ALEX}`,
      `set-up by ${ALEX}`,
      `removed by ${ALEX}`,
    ]);
    expect((await alex.pressFor(list, /^Remove subscription 2/)).text).toContain(
      'I can’t find that subscription',
    );
  });

  it('is the one that is removed where its channel has no other', async () => {
    const storeUrl = await newUrl();
    const { alex } = await openStage({ storeUrl });
    const { database } = await openAuditBeside(storeUrl);
    await alex.type('/cobrowse subscribe all');
    await database.write(sql`UPDATE subscriptions SET form = 'haiku', version = version + 1`);
    expect((await alex.type('/cobrowse unsubscribe')).text).toContain('Removed subscription 1');
  });
});
