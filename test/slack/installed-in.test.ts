import { WebClient } from '@slack/web-api';
import nock from 'nock';
import { afterEach, describe, expect, it } from 'vitest';
import { createBoltLogger } from '../../src/slack/bolt-logger.ts';
import { createInstalledIn } from '../../src/slack/installed-in.ts';
import { webClientOptions } from '../../src/slack/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const logger = createBoltLogger(keptLog().log);
const client = new WebClient('none', webClientOptions({ apiUrl: 'https://slack.example/api/', logger }));
const slack = () => nock('https://slack.example').post('/api/auth.test');

afterEach(() => nock.cleanAll());

describe('the workspace that the app is installed in', () => {
  it('is asked of Slack once, however many want to know', async () => {
    slack().reply(200, { ok: true, team_id: 'T1' });
    const installedIn = createInstalledIn(client);
    expect(await Promise.all([installedIn(), installedIn()])).toEqual(['T1', 'T1']);
    expect(await installedIn()).toBe('T1');
  });

  it.each([
    ['fails', { ok: false, error: 'internal_error' }, 'internal_error'],
    ['does not say', { ok: true }, 'does not say which workspace'],
  ])('is not known where Slack %s, and asked again the next time', async (_what, answer, why) => {
    slack().reply(200, answer);
    const installedIn = createInstalledIn(client);
    await expect(installedIn()).rejects.toThrow(why);
    slack().reply(200, { ok: true, team_id: 'T1' });
    expect(await installedIn()).toBe('T1');
  });
});
