import { describe, expect, it } from 'vitest';
import { ADA, atHome } from '../../home/at-home.ts';
import { readConfig } from '../../../src/config/config.ts';
import { onlySqlite, engines } from '../../support/engines.ts';
import { ALEX, personIn, readable } from '../../support/person.ts';
import { complaints, forMany } from '../../support/settings.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { endedSession } from '../../sessions/ended-session.ts';
import { startForMany } from '../../workspaces/many-stage.ts';

const NEXT = 'Ask a workspace admin to connect it in this app’s Home tab.';
const without = { COBROWSE_API_KEY: undefined, ALLOWED_WORKSPACES: undefined };

describe.each(onlySqlite)('the settings for many workspaces', () => {
  it('need no account, and then may have an address to suggest', () => {
    const config = readConfig({ ...forMany, ...without });
    expect(config.cobrowse).toMatchObject({ cloud: undefined, onPremise: undefined });
    expect(config.suggestedAddress).toBe('https://api.service.example');
    expect(
      readConfig({ ...forMany, ...without, COBROWSE_BASE_URL: undefined }).suggestedAddress,
    ).toBeUndefined();
  });

  const COBROWSE_ONPREM_BASE_ENDPOINT = 'https://cobrowse.intern';
  const alone = { COBROWSE_API_KEY: undefined, COBROWSE_ONPREM_REST_KEY: 'rest-key' };
  it.each([
    [{ COBROWSE_BASE_URL: undefined }, 'COBROWSE_BASE_URL is missing beside COBROWSE_API_KEY'],
    [
      { COBROWSE_ONPREM_BASE_ENDPOINT },
      'COBROWSE_ONPREM_REST_KEY is missing beside COBROWSE_ONPREM_BASE_ENDPOINT',
    ],
    [
      { ...alone, COBROWSE_ONPREM_BASE_ENDPOINT },
      'COBROWSE_API_KEY is missing beside COBROWSE_ONPREM_REST_KEY',
    ],
  ])('hear what of the operator’s account is missing with %o', (more, complaint) => {
    expect(complaints(more, forMany)).toEqual([complaint]);
  });
});

describe.each(engines)('a workspace without an account of the service, in $engine', ({ newUrl }) => {
  it('hears one next step, whatever it asks for', async () => {
    const { sandbox } = await startForMany({ storeUrl: await newUrl() });
    const alex = personIn(sandbox);
    const commands = ['', 'jane', 'stop jane4821', 'usage', 'proxy https://a.example', 'agent', 'visitor x'];
    for (const text of commands) {
      const answer = await alex.type(`/cobrowse ${text}`);
      expect(`${text}: ${answer.text}`).toContain(NEXT);
    }
    expect((await personIn(sandbox, ADA).type('/cobrowse delete jane4821')).text).toContain('Home tab.');
    expect((await personIn(sandbox, ADA).type('/cobrowse doctor')).text).toContain(
      'Connect your co-browsing account in the Home tab.',
    );
    expect(readable(await atHome(sandbox, ALEX).open())).toContain(NEXT);
    expect(sandbox.service.requests).toEqual([]);
  });

  it('still gets what a webhook reports', async () => {
    const { sandbox } = await startForMany({ storeUrl: await newUrl() });
    const webhooks = webhooksOf(sandbox);
    await webhooks.send(endedSession('late'));
    expect((await webhooks.summaryOf('late')).text).toContain('late');
  });
});
