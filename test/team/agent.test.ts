import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SAM, personIn, readable } from '../support/person.ts';

describe('/cobrowse agent', () => {
  const { sandbox } = checkedSandbox();
  const ask = (argument: string) => personIn(sandbox()).type(`/cobrowse agent ${argument}`);

  it.each([
    ['an agent by email between spaces and smart quotes', '  “alex@acme.com” '],
    ['the agent that a mentioned person is', '@alex'],
    ['alone the caller', ''],
  ])('shows %s, with the latest sessions', async (_who, argument) => {
    const { blocks, text } = await ask(argument);
    expect(readable(blocks)).toContain('Alex Rivera · alex@acme.com');
    expect(text).toContain('12 minutes, visitor jane4821, click, scroll, pointer');
    expect(text).toContain('6 minutes, visitor amara7, pointer');
  });

  it.each([
    ['@sam', `agent for sam@acme.com, <@${SAM}>.`, 'customers see the Slack name of who watches'],
    ['nobody@acme.com', 'can’t find a co-browsing agent for nobody@acme.com.'],
    ['@kim', `<@${KIM}>’s Slack profile doesn’t show this app an email`, '/cobrowse agent name@company.com'],
    [
      'external:nobody-yet',
      'No co-browsing agent has the external ID nobody-yet.',
      'when a session is opened',
    ],
  ])(
    'says, where the service knows no such agent, what was tried and what to do: %s',
    async (argument, ...words) => {
      const { text } = await ask(argument);
      for (const one of words) expect(text).toContain(one);
    },
  );

  it.each(['Alex Rivera', 'external:', '@nobody', 'alex@'])('answers with usage to %j', async (argument) => {
    const { text } = await ask(argument);
    expect(text).toContain('That isn’t an email address, an @mention or external:&lt;id&gt;.');
    expect(text).toContain('/cobrowse agent [email, @person or external:&lt;id&gt;]');
  });

  it('alone shows who has no account as the external agent of an earlier session, and before that says so', async () => {
    const sam = personIn(sandbox(), SAM);
    const { text } = await sam.type('/cobrowse agent');
    expect(text).toContain(`can’t find a co-browsing agent for sam@acme.com, <@${SAM}>.`);
    expect(text).toContain('To connect the account, use the same email in both.');
    const offer = await sam.type('/cobrowse watch jane4821');
    const opened = await sam.watch(offer);
    const session = await sandbox().service.openWatchLink(opened.headers.get('location') ?? '');
    await sandbox().service.endSession(session.id);
    for (const argument of ['', '@sam', 'external:slack-T0ACME00000-U0SAM000002']) {
      const card = await sam.type(`/cobrowse agent ${argument}`);
      expect(card.text).toContain('Sam Lee');
      expect(card.text).toContain('visitor jane4821');
    }
  });
});
