import { afterEach, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, personIn } from '../support/person.ts';

describe('/cobrowse stop', () => {
  const { sandbox } = checkedSandbox({ service: { sessionLimit: 10 } });
  const ask = (argument: string) => personIn(sandbox()).type(`/cobrowse stop ${argument}`);
  const running = () =>
    sandbox()
      .service.sessions()
      .filter((session) => session.ended_at === null);

  async function startSessionWith(visitorId: string): Promise<void> {
    const alex = personIn(sandbox());
    const offer = await alex.type(`/cobrowse watch ${visitorId}`);
    const redirect = await fetch(alex.button(offer, /^Watch/).url ?? '', { redirect: 'manual' });
    await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
  }

  afterEach(async () => {
    await Promise.all(running().map(({ id }) => sandbox().service.endSession(id)));
  });

  it('asks first, by a button with Slack’s own confirmation that names the visitor', async () => {
    await startSessionWith('jane4821');
    const question = await ask('jane4821');
    expect(question.text).toContain('Jane Cooper  jane@acme.com  is in a session.');
    const [stop] = buttonsIn(question.blocks);
    expect(stop).toMatchObject({ style: 'danger', accessibility_label: 'Stop the session with Jane Cooper' });
    expect(stop?.confirm).toMatchObject({
      title: { text: 'Stop the session?' },
      text: { text: 'This ends the co-browsing session with Jane Cooper for everyone in it.' },
      confirm: { text: 'Stop session' },
      deny: { text: 'Keep it' },
    });
    expect(running()).toHaveLength(1);
  });

  it('stops at the press and says who did, in the answer and in the summary', async () => {
    await startSessionWith('Xq9Z');
    const sam = personIn(sandbox(), SAM);
    const answer = await sam.pressFor(await sam.type('/cobrowse stop Xq9Z'), /^Stop/);
    expect(answer.text).toBe(`The session with Sofía Martínez was stopped by <@${SAM}>.`);
    expect(running()).toEqual([]);
    const summary = await sam.message(({ text }) => text.includes('Visitor: Sofía Martínez'));
    expect(summary).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(summary.text).toContain('Agent: Alex Rivera');
    const detail = await sam.message(({ text }) => text.includes('Stopped by'));
    expect(detail.text).toContain(`Stopped by: <@${SAM}>`);
  });

  it('says the same when it is pressed again', async () => {
    const alex = personIn(sandbox());
    const question = await ask('priya55');
    expect(question.text).toContain('does not seem to be in a session.');
    await alex.pressFor(question, /^Stop/);
    const again = await alex.pressFor(question, /^Stop/);
    expect(again.text).toBe(`The session with Priya Natarajan was stopped by <@${ALEX}>.`);
  });

  it('finds the visitor by email, and stops nobody by that', async () => {
    await startSessionWith('jane4821');
    const { text } = await ask('jane@acme.com');
    expect(text).toContain('Jane Cooper  jane@acme.com  is in a session.');
    expect(running()).toHaveLength(1);
  });

  it('offers only those in a session where a name fits several', async () => {
    await startSessionWith('jane4821');
    const { text, blocks } = await ask('jane');
    expect(text).toContain('Jane Cooper');
    expect(text).not.toContain('Jane Park');
    expect(buttonsIn(blocks)).toHaveLength(1);
  });

  it('offers all who fit, five at most, where none is in a session', async () => {
    const { text, blocks } = await ask('jane');
    expect(text).toContain('Jane Cooper');
    expect(text).toContain('Jane Park');
    expect(buttonsIn(blocks)).toHaveLength(2);
    expect(buttonsIn((await ask('shop.acme')).blocks)).toHaveLength(5);
  });

  it('says that nobody fits', async () => {
    const { text } = await ask('unknown-visitor');
    expect(text).toContain('No visitor matches unknown-visitor.');
  });

  it('says so where the visitor is gone by the time of the press', async () => {
    sandbox().service.addVisitor({ short_id: 'gone1', identities: ['Gone Girl'] });
    const question = await ask('gone1');
    const { url, apiKey } = sandbox().service;
    await fetch(`${url}/v1.3/visitors/gone1`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    const answer = await personIn(sandbox()).pressFor(question, /^Stop/);
    expect(answer.text).toContain('does not know that visitor');
  });

  it('answers with usage when nobody is named', async () => {
    const { text } = await ask('');
    expect(text).toContain('Whose session? The visitor id is missing.');
    expect(text).toContain('/cobrowse stop &lt;visitor id&gt;');
  });
});
