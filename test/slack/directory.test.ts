import { describe, expect, it } from 'vitest';
import { acme, type Seed } from '../../sandbox/slack/seed.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SAM, SUPPORT, anotherLink, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';

const LEADS = 'S0LEADS0001';

/** A support channel of 4,900, in which those whom the tests know come last. */
const busy: Seed = {
  ...acme,
  channels: acme.channels.map((channel) => {
    if (channel.id !== SUPPORT) return channel;
    const length = 4_900 - channel.members.length;
    const others = Array.from({ length }, (_, number) => `U${String(number).padStart(10, '0')}`);
    return { ...channel, members: [...others, ...channel.members] };
  }),
};

/** Kim opens a live view, as another one where the session with the customer is still hers. */
const open = async (url: string) => anotherLink(await fetch(url, { redirect: 'manual' }));
const leadsOn = ({ status }: Response) => status === 302 || status === 303;

/** A workspace with such a channel, and the test's clock. */
function busyWorkspace(storeUrl = 'memory:') {
  const clock = { time: Date.UTC(2026, 10, 2, 9) };
  const now = () => clock.time;
  const kept = checkedSandbox({
    now,
    watchProof: 'ticket',
    storeUrl,
    slack: { seed: busy, now },
    service: { sessionLimit: 1_000 },
  });
  const calls = (method: string) =>
    kept.sandbox().slack.calls.filter((call) => call.method === method).length;
  /** A Watch address of Kim's. */
  async function address(): Promise<string> {
    const kim = personIn(kept.sandbox(), KIM);
    return kim.button(await kim.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
  }
  /** Changes something, and waits until the app has acknowledged the event of it. */
  async function change(make: () => unknown): Promise<void> {
    const before = calls('ack');
    make();
    await expect.poll(() => calls('ack')).toBeGreaterThan(before);
  }
  return { ...kept, clock, calls, address, change };
}

describe('a channel of 4,900 people in which everyone presses Watch', () => {
  const { clock, calls, address } = busyWorkspace();
  const asked = () => ['conversations.members', 'users.info'].map(calls);

  it('asks Slack once for all who press in the same moment', async () => {
    const url = await address();
    clock.time += 60_000;
    const before = asked();
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(url)));
    expect(answers.every(leadsOn)).toBe(true);
    expect(asked().map((count, method) => count - (before[method] ?? 0))).toEqual([5, 1]);
  });
});

describe('a permission through a user group', () => {
  const { sandbox, change } = busyWorkspace(storeInFile());

  it('is lost by people who are out of the group as soon as Slack says so', async () => {
    await writeSettings(sandbox(), { rules: { watch: { members: false, ids: [LEADS] } } });
    const sam = personIn(sandbox(), SAM);
    const url = sam.button(await sam.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
    expect(leadsOn(await open(url))).toBe(true);
    await change(() => sandbox().slack.changeUserGroup(LEADS, []));
    const answer = await open(url);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('You don’t have permission');
  });
});
