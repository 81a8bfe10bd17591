import { WebClient } from '@slack/web-api';
import nock from 'nock';
import { afterEach, describe, expect, it } from 'vitest';
import { webClientOptions } from '../../src/workspaces/web-client.ts';
import { createInstalledAs } from '../../src/workspaces/from-settings.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const { log } = keptLog();
const client = new WebClient('none', webClientOptions({ apiUrl: 'https://slack.example/api/', log }));
const slack = () => nock('https://slack.example').post('/api/auth.test');

afterEach(() => nock.cleanAll());

const said = { ok: true, team_id: 'T1', bot_id: 'B1', user_id: 'U1', url: 'https://one.slack.com/' };
const installation = { workspaceId: 'T1', botId: 'B1', botUserId: 'U1', url: 'https://one.slack.com/' };

describe('the workspace that the app is installed in', () => {
  it('is asked from Slack once, however many want to know', async () => {
    slack().reply(200, said);
    const installedAs = createInstalledAs(client);
    expect(await Promise.all([installedAs(), installedAs()])).toEqual([installation, installation]);
    expect(await installedAs()).toEqual(installation);
  });

  it.each([
    ['fails', { ok: false, error: 'internal_error' }, 'internal_error'],
    ['does not say', { ok: true }, 'does not say which workspace'],
  ])('is unknown if Slack %s, and asked again the next time', async (_what, answer, why) => {
    slack().reply(200, answer);
    const installedAs = createInstalledAs(client);
    await expect(installedAs()).rejects.toThrow(why);
    slack().reply(200, said);
    expect(await installedAs()).toEqual(installation);
  });
});
