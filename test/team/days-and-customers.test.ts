import { describe, expect, it } from 'vitest';
import type { IssuedLink } from '../../src/messages/link-request.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SUPPORT, personIn, readable } from '../support/person.ts';
import { sentFile } from '../support/sent-file.ts';
import { acme } from '../../sandbox/slack/seed.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { isPosted, webhooksOf } from '../sessions/webhook-stage.ts';

/** Half past five in the afternoon in Los Angeles, and UTC's next day. */
let time = Date.parse('2026-11-27T18:00:00Z');
const seed = {
  ...acme,
  users: acme.users.map((user) => (user.id === ADA ? { ...user, tz: 'America/Los_Angeles' } : user)),
};
const { sandbox, logLines } = checkedSandbox({ now: () => (time += 1), slack: { seed } });

async function end(id: string, link: Partial<IssuedLink>): Promise<void> {
  const webhooks = webhooksOf(sandbox());
  const to = webhooks.address({ ...alexInSupport, linkId: `link-${id}`, ...link });
  const at = new Date(time).toISOString();
  const session = endedSession(id, { started_at: at, ended_at: at, visitor_id: link.visitorId });
  expect((await webhooks.send(session, { to })).status).toBe(200);
  await expect.poll(() => isPosted(logLines, id), { timeout: 20_000 }).toBe(true);
}

const searches = () => logLines.filter((line) => line.includes('"action":"search"')).length;
const ada = () => personIn(sandbox(), ADA, SUPPORT);
const ask = async (typed: string) => (await ada().type(`/cobrowse ${typed}`)).text;
const agentsIn = (text: string) => Array.from(text.matchAll(/Agent of (\w+)/g), ([, id]) => id);
const uploaded = () => sentFile(sandbox());

describe('lists of records', () => {
  it('go by the day of whoever asks', async () => {
    await end('a', { visitorId: 'jane4821' });
    time = Date.parse('2026-11-28T01:30:00Z');
    await end('b', { visitorId: 'lm3' });
    expect(agentsIn(await ask('sessions today'))).toEqual(['b', 'a']);
    expect((await ask('sessions today')).split('\n')[0]).toBe('2 sessions, newest first · today');
    expect(await ask('sessions yesterday')).toContain('No sessions yesterday.');
    // Alex is in Amsterdam, where it's half past two in the night.
    const alex = await personIn(sandbox()).type('/cobrowse sessions today');
    expect(agentsIn(alex.text)).toEqual(['b']);
    expect(await ask('sessions since 2026-02-31')).toContain('There’s no such day as 2026-02-31.');
    expect((await ask('audit today')).split('\n')[0]).toMatch(/^\d+ records, newest first · today$/);
  });

  it('are narrowed down to a customer by name or email, who is searched for once', async () => {
    for (const typed of ['jane', 'Jane Cooper today', 'jane@acme.com']) {
      const text = await ask(`sessions ${typed}`);
      expect(agentsIn(text)).toEqual(['a']);
      expect(text).toMatch(/^1 session · of visitor jane4821/);
    }
    const answer = await ada().type('/cobrowse sessions liam o’brien');
    expect(agentsIn(answer.text)).toEqual(['b']);
    const before = searches();
    await ada().pressFor(answer, /^Get the file/);
    expect(searches()).toBe(before);
    expect(uploaded().trim().split('\n')).toHaveLength(2);
    expect(await ask('audit jane')).toMatch(/of visitor jane4821/);
    expect(await ask('audit jane xyz')).toContain('I didn’t understand “jane xyz”. No customer is called');
    const link = await ask('sessions https://frontend.example/watch/secret');
    expect(link).toContain('That looks like a watch link, so I didn’t search for it.');
  });

  it('have names of customers in their files where an admin allows it, which the audit says', async () => {
    await ask('sessions jane csv');
    const [head = '', row = ''] = uploaded().trim().split('\n');
    const zone = 'America/Los_Angeles';
    expect(head).toContain(`"Started (${zone})","Ended (${zone})","Visitor","Agents","Person","Person ID"`);
    expect(row).toContain(
      '"2026-11-27 10:00:00","2026-11-27 10:00:00","jane4821","Agent of a","Alex Rivera"',
    );
    expect(row).toContain(`"support","${SUPPORT}"`);
    expect(row).not.toMatch(/Jane|acme\.com/);
    const home = atHome(sandbox(), ADA);
    await home.open();
    await home.press(/^Change: Customers’ names/);
    const changed = await sandbox().slack.until(ADA, ({ views }) =>
      views.find(({ blocks }) => readable(blocks).includes('emails in files: on')),
    );
    await sandbox().slack.closeView({ as: ADA, view_id: changed.id });
    time += 1_000;
    await ask('sessions jane csv');
    const [named = '', who = ''] = uploaded().trim().split('\n');
    expect(named).toContain('"Visitor","Customer","Email","Agents"');
    expect(who).toContain('"jane4821","Jane Cooper","jane@acme.com","Agent of a"');
    await ask('sessions jane json');
    expect(JSON.parse(uploaded())).toMatchObject({
      startedAt: expect.stringMatching(/^2026-11-27T18:00:00\.\d{3}Z$/),
      customer: 'Jane Cooper',
      person: 'Alex Rivera',
    });
    const audit = await ask('audit today');
    expect(audit).toContain('changed Customers’ names in files from off to on');
    expect(audit).toContain('got ended sessions as a file (1 session, with customers’ names)');
  });
});
