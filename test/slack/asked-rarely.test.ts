import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SAM, personIn } from '../support/person.ts';

const LEADS = 'S0LEADS0001';
const MINUTE_MS = 60_000;

describe('what Slack is asked for a form with user groups', () => {
  const clock = { time: Date.UTC(2026, 10, 2, 9) };
  const now = () => clock.time;
  const { sandbox } = checkedSandbox({ now, slack: { now } });
  const calls = (method: string) => sandbox().slack.calls.filter((call) => call.method === method).length;

  /** How often the user groups are asked for when these open the form, one after the other. */
  async function listedFor(...userIds: readonly string[]): Promise<number> {
    const before = calls('usergroups.list');
    for (const userId of userIds) {
      const person = personIn(sandbox(), userId);
      await person.press(await person.type('/cobrowse subscribe'), /^Set up summaries/);
      const { id } = await person.modal(({ submit }) => submit !== undefined);
      await sandbox().slack.closeView({ as: userId, view_id: id });
    }
    return calls('usergroups.list') - before;
  }

  it('is their list once in five minutes, whoever opens it', async () => {
    expect(await listedFor(ALEX, SAM, ALEX)).toBe(1);
    clock.time += 5 * MINUTE_MS - 1;
    expect(await listedFor(SAM)).toBe(0);
    clock.time += 1;
    expect(await listedFor(ALEX)).toBe(1);
  });

  it('is their list again after Slack reports a change', async () => {
    await listedFor(ALEX);
    const before = calls('ack');
    sandbox().slack.changeUserGroup(LEADS, [SAM, KIM]);
    await expect.poll(() => calls('ack')).toBeGreaterThan(before);
    await expect.poll(() => listedFor(ALEX)).toBe(1);
  });
});
