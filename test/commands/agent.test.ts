import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SAM, personIn, readable } from '../support/person.ts';

describe('/cobrowse agent', () => {
  const { sandbox } = checkedSandbox();
  const ask = (argument: string) => personIn(sandbox()).type(`/cobrowse agent ${argument}`);

  it('shows an agent by email, with the latest sessions', async () => {
    const { blocks, text } = await ask('alex@acme.com');
    expect(readable(blocks)).toContain('Alex Rivera  alex@acme.com');
    expect(text).toContain('12 minutes, visitor jane4821, clicked, scrolled, pointed');
    expect(text).toContain('6 minutes, visitor amara7, pointed');
  });

  it('shows the agent that a mentioned person is', async () => {
    const { text } = await ask('@alex');
    expect(text).toContain('Alex Rivera  alex@acme.com');
  });

  it('names the email that was tried, and whose it is, where the service knows no such agent', async () => {
    const { text } = await ask('@sam');
    expect(text).toContain(`knows no agent with the email sam@acme.com for <@${SAM}>.`);
    expect(text).toContain('They can still watch');
  });

  it('names the email that was typed', async () => {
    const { text } = await ask('nobody@acme.com');
    expect(text).toContain('knows no agent with the email nobody@acme.com.');
  });

  it('says what to do where the profile shows no email', async () => {
    const { text } = await ask('@kim');
    expect(text).toContain(`The Slack profile of <@${KIM}> shows the app no email address`);
    expect(text).toContain('/cobrowse agent name@company.com');
  });

  it('understands spaces and smart quotes around the email', async () => {
    const { text } = await ask('  “alex@acme.com” ');
    expect(text).toContain('Alex Rivera');
  });

  it.each(['Alex Rivera', 'agent_alex', 'external:', '@nobody', 'alex@'])(
    'answers with usage to %j',
    async (argument) => {
      const { text } = await ask(argument);
      expect(text).toContain('That is no email address, no @mention and no external:&lt;id&gt;.');
      expect(text).toContain('/cobrowse agent [email, @person or external:&lt;id&gt;]');
    },
  );

  it('alone shows the caller, with the latest sessions', async () => {
    expect((await ask('')).text).toContain('Alex Rivera');
  });

  it('shows an external agent by the id that the watch links named', async () => {
    const { text } = await ask('external:nobody-yet');
    expect(text).toContain('knows no agent with the external id nobody-yet.');
  });

  it('answers with a reference where Slack does not give the profile', async () => {
    sandbox().slack.fail('users.info', 'internal_error', 2);
    const { text } = await ask('@alex');
    expect(text).toContain('Something went wrong in the app.');
    expect(text).toMatch(/give the reference [\w-]{8} to whoever runs the app/);
  });
});
