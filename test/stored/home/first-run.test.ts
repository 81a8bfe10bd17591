import { describe, expect, it } from 'vitest';
import { createNamedClaims } from '../../../src/database/named-claims.ts';
import { createFirstRun } from '../../../src/home/first-run.ts';
import type { Verdict } from '../../../src/permissions/permissions.ts';
import type { AccessNow } from '../../../src/admin/access.ts';
import type { Message } from '../../../src/messages/message.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { buttonsIn } from '../../support/person.ts';
import { problemsIn } from '../../support/shown.ts';

const alex = { workspaceId: 'T1', userId: 'U0ALEX' };
const MINUTE_MS = 60_000;

describe.each(engines)('the first words of the app, over $engine', ({ newUrl }) => {
  /** Two processes over one database, whose clocks are apart. */
  async function open(verdict: Verdict = { allowed: true }, access?: AccessNow) {
    const database = await openUntilTestEnds(await newUrl());
    const shown: { readonly to: object; readonly message: Message }[] = [];
    const clock = { time: Date.UTC(2026, 2, 1) };
    const slack = { accepts: true };
    const [one, other] = [0, -5_000].map((apart) => {
      const now = () => clock.time + apart;
      const app = {
        database,
        claims: createNamedClaims(database, now),
        mayAct: async () => verdict,
        async showPrivately(to: object, message: Message) {
          if (slack.accepts) shown.push({ to, message });
          return slack.accepts;
        },
        now,
      } as const;
      return createFirstRun(app, async () => access);
    });
    if (one === undefined || other === undefined) throw new Error('There are two.');
    return { one, other, shown, clock, slack };
  }

  it('greet a person once, whichever process they meet, in each workspace, and offer what to try next', async () => {
    const { one, other, shown, clock } = await open();
    await Promise.all([one.greet(alex), other.greet(alex), one.greet(alex)]);
    clock.time += 400 * 24 * 60 * MINUTE_MS;
    await other.greet(alex);
    await one.greet({ ...alex, workspaceId: 'T2' });
    await one.greet({ ...alex, userId: 'U0SAM' });
    expect(shown.map(({ to }) => to)).toEqual([
      alex,
      { ...alex, workspaceId: 'T2' },
      { ...alex, userId: 'U0SAM' },
    ]);
    const [{ message } = { message: undefined }] = shown;
    expect(message?.text).toContain('open your own site in another tab');
    expect(buttonsIn(message?.blocks ?? []).map(({ text }) => text.text)).toEqual(['Start co-browsing']);
    expect(problemsIn({ surface: 'message', payload: message })).toEqual([]);
  });

  it('come at the next event where Slack refused them', async () => {
    const { one, other, shown, slack } = await open();
    slack.accepts = false;
    await one.greet(alex);
    await one.added(alex, 'C0SUPPORT');
    slack.accepts = true;
    await other.greet(alex);
    await one.added(alex, 'C0SUPPORT');
    expect(shown.map(({ to }) => to)).toEqual([alex, { ...alex, channelId: 'C0SUPPORT' }]);
  });

  it('are for guests and strangers not at all, and without the button for who cannot watch', async () => {
    const guest = await open({ allowed: false, why: 'guest' });
    await guest.one.greet(alex);
    expect(guest.shown).toEqual([]);
    const member = await open({ allowed: false, why: 'not-named' });
    await member.one.greet(alex);
    expect(member.shown.map(({ message }) => buttonsIn(message.blocks))).toEqual([[]]);
  });

  it('tell an admin what was chosen as the default access, or what the Home asks', async () => {
    const { one, shown } = await open({ allowed: true }, { inForce: 'view', most: 'full', isChosen: true });
    await one.greet(alex);
    expect(shown[0]?.message.text).toContain('Default access: view only.');
    const asked = await open({ allowed: true }, { inForce: 'full', most: 'full', isChosen: false });
    await asked.one.greet(alex);
    const [{ message } = { message: undefined }] = asked.shown;
    expect(message?.text).toContain('- View only: Agents see the page. Only the customer acts.');
    expect(problemsIn({ surface: 'message', payload: message })).toEqual([]);
  });

  it('tell who added the app to a channel what it does there, once for an event that comes again', async () => {
    const { one, shown, clock } = await open();
    await one.added(alex, 'C0SUPPORT');
    clock.time += 6 * MINUTE_MS;
    await one.added(alex, 'C0SUPPORT');
    expect(shown.map(({ to }) => to)).toEqual([{ ...alex, channelId: 'C0SUPPORT' }]);
    expect(shown[0]?.message.text).toContain('I post a card');
    expect(problemsIn({ surface: 'message', payload: shown[0]?.message })).toEqual([]);
    clock.time += 5 * MINUTE_MS;
    await one.added(alex, 'C0SUPPORT');
    expect(shown).toHaveLength(2);
  });
});
