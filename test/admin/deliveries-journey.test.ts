import { describe, expect, it } from 'vitest';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { summariesSeenBy, webhooksOf } from '../sessions/webhook-stage.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, readable } from '../support/person.ts';
import { ADA, atHome } from '../home/at-home.ts';

const { sandbox, logLines } = checkedSandbox();

/** Tells of a session's end in #sales, which does not have the app, and waits until the agent has the direct message. */
async function giveUp(id: string): Promise<void> {
  const webhooks = webhooksOf(sandbox());
  const to = webhooks.address({ ...alexInSupport, channelId: SALES });
  await webhooks.send(endedSession(id), { to });
  await webhooks.summaryOf(id);
}

const summaryOf = (id: string) => summariesSeenBy(sandbox().slack).filter((summary) => summary.id === id);
const ada = () => atHome(sandbox(), ADA);
/** The Home once it says this. */
const homeSaying = (words: RegExp) =>
  sandbox().slack.until(ADA, ({ home }) => {
    const shown = readable(home?.view?.blocks ?? []);
    return words.test(shown) ? shown : undefined;
  });

describe('a summary that its channel did not take', () => {
  it('is seen by an admin with what to do, and posted by Retry once that is done', async () => {
    await giveUp('retried');
    const shown = readable(await ada().open());
    expect(shown).toContain('Summaries');
    expect(shown).toContain('Couldn’t deliver');
    expect(shown).toContain('/invite @Co-browse');
    expect(shown).not.toContain('jane4821');
    sandbox().slack.changeChannel(SALES, { hasApp: true });
    const answer = await ada().pressFor(/^Retry summary 1$/, /Retrying/);
    expect(answer.title).toBe('Summaries');
    const { slack } = sandbox();
    await slack.until(ALEX, () => summaryOf('retried').some(({ channel }) => channel === SALES));
    await slack.closeView({ as: ADA, view_id: answer.id });
    // Slack shows the post before the app has heard that it took it.
    await expect.poll(async () => readable(await ada().open())).toContain('All summaries delivered.');
    slack.changeChannel(SALES, { hasApp: false });
  });

  it('is gone after Drop, and the audit says by whom', async () => {
    await giveUp('dropped');
    await ada().open();
    const answer = await ada().pressFor(/^Discard summary 1$/, /The summary won’t be posted/);
    await sandbox().slack.closeView({ as: ADA, view_id: answer.id });
    await homeSaying(/All summaries delivered/);
    expect(summaryOf('dropped')).toHaveLength(1);
    const line = logLines.find((one) => one.includes('"action":"delivery"') && one.includes('"dropped"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ audit: { userId: ADA, outcome: 'dropped' } });
  });

  it('says nothing of it to those who are no admins', async () => {
    await giveUp('for-admins');
    expect(readable(await atHome(sandbox(), ALEX).open())).not.toContain('Couldn’t deliver');
  });

  it('is neither retried nor dropped by who is an admin no more when they press', async () => {
    await giveUp('demoted');
    await ada().open();
    sandbox().slack.changePerson(ADA, { admin: false });
    const answer = await ada().pressFor(/^Discard summary 1$/, /Nothing changed/);
    await sandbox().slack.closeView({ as: ADA, view_id: answer.id });
    sandbox().slack.changePerson(ADA, { admin: true });
    expect(readable(await ada().open())).toContain('Couldn’t deliver');
  });
});
