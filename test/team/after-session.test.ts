import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { ALEX, KIM, SAM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';
import { writeSettings } from '../support/settings-values.ts';
import { auditedSandbox } from '../admin/audit-stage.ts';
import { summaryOf } from './summary-of.ts';

describe('what can be done below a summary', () => {
  const { sandbox, records, letAnswersAge } = auditedSandbox();
  const alex = () => personIn(sandbox(), ALEX);

  const again = ({ ts }: PageMessage, words: string) =>
    alex().message((message) => message.ts === ts && message.text.includes(words));

  it('gives a Watch button to who presses Watch again and may, and to nobody else', async () => {
    const summary = await summaryOf(sandbox(), 'jane4821');
    expect(buttonsIn(summary.blocks).map(({ url }) => url)).toEqual([undefined, undefined]);
    const sam = personIn(sandbox(), SAM);
    const offer = await sam.pressFor(summary, /^Watch again/);
    expect(offer).toMatchObject({ ephemeral: true });
    const watch = sam.button(offer, /^Watch/);
    expect(watch.url).toContain(`${sandbox().publicUrl}/watch/`);
    await writeSettings(sandbox(), { rules: { watch: { members: false, ids: [] } } });
    letAnswersAge();
    const refused = await personIn(sandbox(), KIM).pressFor(summary, /^Watch again/);
    await writeSettings(sandbox(), {});
    expect(buttonsIn(refused.blocks)).toEqual([]);
    expect((await records())[0]).toMatchObject({ userId: KIM, action: 'refusal', detail: { act: 'watch' } });
  });

  it('shows an outcome to all, and changes it for who chooses another', async () => {
    const summary = await summaryOf(sandbox(), 'priya55');
    const first = await alex().chooseOutcome(summary, /Solved/);
    expect(first.text).toBe('Outcome set to Solved. The summary shows it in a moment.');
    const solved = await again(summary, `Outcome: Solved, set by <@${ALEX}>`);
    expect(solved.ts).toBe(summary.ts);
    await personIn(sandbox(), SAM).chooseOutcome(solved, /Other/);
    const changed = await again(summary, `Outcome: Other, set by <@${SAM}>`);
    await alex().chooseOutcome(changed, /Other/);
    const [newest, older] = (await records()).filter(({ action }) => action === 'outcome');
    expect(newest).toMatchObject({
      userId: SAM,
      channelId: SUPPORT,
      visitorId: 'priya55',
      outcome: 'done',
      detail: { from: 'solved', to: 'other' },
    });
    expect(older).toMatchObject({ userId: ALEX, detail: { to: 'solved' } });
  });

  it('posts a note as a reply, and keeps none of it: the audit has that there is one', async () => {
    sandbox().service.setOnline('amara7', true);
    const summary = await summaryOf(sandbox(), 'amara7');
    const done = await alex().addNote(summary, 'Ask *Amara* about <!channel>\nSECRET-NOTE & more');
    expect(readable(done.blocks)).toContain('Your note is in the summary’s thread.');
    const reply = await alex().message(({ text }) => text.includes('SECRET-NOTE'));
    expect(reply).toMatchObject({ thread_ts: summary.ts, channel: SUPPORT });
    expect(reply.text).toBe(
      `Note by <@${ALEX}>:\nAsk *Amara* about &lt;!channel&gt;\nSECRET-NOTE &amp; more`,
    );
    const [newest] = await records();
    expect(newest).toMatchObject({ userId: ALEX, action: 'note', outcome: 'done', visitorId: 'amara7' });
    expect(JSON.stringify(newest)).not.toContain('SECRET');
    const file = sandbox().config.storeUrl.replace('sqlite:', '');
    const kept = await Promise.all(
      [file, `${file}-wal`].map((name) => readFile(name, 'latin1').catch(() => '')),
    );
    expect(kept.join('')).toContain('amara7');
    expect(kept.join('')).not.toContain('SECRET-NOTE');
  });

  it.each([
    ['that Slack did not take', 'failed', 'I couldn’t post your note (Slack: restricted_action)'],
    ['that may be posted or not', 'unclear', 'Slack didn’t say whether your note was posted.'],
  ])('gives a note back %s', async (_which, outcome, words) => {
    const summary = await summaryOf(sandbox(), 'lm3');
    const how = outcome === 'failed' ? 'restricted_action' : 'lose-answer';
    sandbox().slack.fail('chat.postMessage', how, 1, 'Do not lose this');
    const { blocks } = await alex().addNote(summary, 'Do not lose this');
    expect(readable(blocks)).toContain(words);
    expect(readable(blocks)).toContain('Do not lose this');
    expect((await records())[0]).toMatchObject({ action: 'note', outcome });
  });

  it('has notes below it before Slack’s answer to its post is there', async () => {
    sandbox().slack.fail('chat.update', 'lose-answer', 1, 'Co-browsing session ended');
    const done = await alex().addNote(await summaryOf(sandbox(), 'lm3'), 'Soon enough');
    expect(readable(done.blocks)).toContain('Your note is in the summary’s thread.');
  });

  it('is for who watched, though they may watch no more, else for who may watch, and never for who was deactivated', async () => {
    const summary = await summaryOf(sandbox(), 'jane4821');
    sandbox().slack.changePerson(ALEX, { deactivated: true });
    letAnswersAge();
    const gone = await alex().chooseOutcome(summary, /Solved/);
    sandbox().slack.changePerson(ALEX, { deactivated: false });
    expect(gone.text).toContain('Only people who watched this session, or who can watch,');
    expect((await records())[0]).toMatchObject({ action: 'refusal', outcome: 'deactivated' });
    await writeSettings(sandbox(), { rules: { watch: { members: false, ids: [] } } });
    letAnswersAge();
    const own = await alex().chooseOutcome(summary, /Other/);
    expect(own.text).toContain('Outcome set to Other.');
    const refused = await personIn(sandbox(), KIM).chooseOutcome(summary, /Solved/);
    await writeSettings(sandbox(), {});
    expect(refused.text).toContain('Only people who watched this session, or who can watch,');
    expect((await records())[0]).toMatchObject({
      userId: KIM,
      action: 'refusal',
      outcome: 'not-named',
      detail: { act: 'outcome' },
    });
  });
});
