import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { ADA, atHome } from '../../home/at-home.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { openStage } from '../../subscriptions/stage.ts';
import { openAuditBeside } from '../../support/audit-beside.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, SALES, readable } from '../../support/person.ts';

const State = z.object({ state: z.string() });

const changes = [
  { button: /^Retry summary 1$/, outcome: 'retried', words: /Retrying/, state: 'posted' },
  { button: /^Discard summary 1$/, outcome: 'dropped', words: /won’t be posted/, state: 'dropped' },
];

describe.each(engines)('a summary in trouble in $engine', ({ newUrl }) => {
  it.each(changes)('is $outcome if that can be recorded, and not otherwise', async (change) => {
    const { button, outcome, words, state } = change;
    const storeUrl = await newUrl();
    const { sandbox, logLines } = await openStage({ storeUrl });
    const { database, recorded, whileRefusing } = await openAuditBeside(storeUrl);
    const ofSales = sql`SELECT state FROM deliveries WHERE kind = 'summary' AND channel_id = ${SALES}`;
    const stateNow = async () => (await database.read(ofSales, State))[0]?.state;
    const isLogged = () =>
      logLines.some(
        (line) => line.includes('"action":"delivery"') && line.includes(`"outcome":"${outcome}"`),
      );
    const webhooks = webhooksOf(sandbox);
    const { slack } = sandbox;
    const ada = atHome(sandbox, ADA);
    // #sales doesn't have the app.
    await webhooks.send(endedSession('s1'), { to: webhooks.address({ ...alexInSupport, channelId: SALES }) });
    await expect.poll(stateNow).toBe('failed');
    const home = async () => readable(await ada.open());
    await expect.poll(home).toContain(`<@${ALEX}> got the summary as a message.`);
    const shown = await home();
    for (const part of ['Summaries', 'I’m not in ']) expect(shown).toContain(part);
    expect(shown).not.toContain('Couldn’t deliver');
    expect(shown).not.toContain('jane4821');
    slack.changeChannel(SALES, { hasApp: true });

    const refused = await whileRefusing(() => ada.pressFor(button, /can’t use its database/));
    await slack.closeView({ as: ADA, view_id: refused.id });
    expect(await stateNow()).toBe('failed');
    expect(await recorded('delivery')).toEqual([]);
    expect(isLogged()).toBe(false);

    const done = await ada.pressFor(button, words);
    await slack.closeView({ as: ADA, view_id: done.id });
    await expect.poll(stateNow).toBe(state);
    expect(await recorded('delivery')).toEqual([`${outcome} by ${ADA}`]);
    expect(isLogged()).toBe(true);
  });
});
