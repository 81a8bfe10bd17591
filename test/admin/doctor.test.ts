import { describe, expect, it } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { acme } from '../../sandbox/slack/seed.ts';
import { atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { sqlite } from '../support/engines.ts';
import { ALEX, SAM, personIn, readable } from '../support/person.ts';
import { ADA, openStage } from '../subscriptions/stage.ts';
import { startForMany } from '../workspaces/many-stage.ts';

describe('/cobrowse doctor', () => {
  const { sandbox, logLines } = checkedSandbox();

  it('examines the installation for an admin', async () => {
    const { text } = await personIn(sandbox(), ADA).type('/cobrowse doctor');
    expect(text).toContain('0 failures, 1 warning');
    expect(text).toContain('Warning · Database: It’s in memory');
    expect(text).toContain(
      'Public address: A test webhook reached an app with these SECRET_KEYS and was stored.',
    );
  });

  it('tells everybody else whom to ask, and writes it down', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse doctor');
    expect(text).toBe(
      'Only workspace admins and owners can run this.\nAsk one of them. On the app’s server, npm run doctor does the same.',
    );
    expect(logLines.some((line) => line.includes('"action":"refusal"') && line.includes('not-admin'))).toBe(
      true,
    );
  });
});

const APP = 'U0COBROWSE';
const leads = { id: 'C0LEADS0005', name: 'leads', topic: 'Leads' };
const withLeads = (members: readonly string[], isPrivate = true) => {
  const channel = { ...leads, isPrivate, members: [...members, APP] };
  return { slack: { seed: { ...acme, channels: [...acme.channels, channel] } } };
};

describe('/cobrowse doctor, of subscriptions', () => {
  it('reports a pause, and where it says why', async () => {
    const { sandbox, alex, watchAndEnd, settled } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    sandbox.slack.fail('chat.postMessage', 'restricted_action', 20);
    await settled(await watchAndEnd(), '1');
    await expect.poll(async () => (await alex.type('/cobrowse subscriptions')).text).toContain('Paused');
    sandbox.slack.fail('chat.postMessage', 'restricted_action', 0);
    const { text } = await personIn(sandbox, ADA).type('/cobrowse doctor');
    expect(text).toContain(
      'Failure · Subscriptions: 1 subscription paused: 1. /cobrowse subscriptions says why, and has Resume.',
    );
    expect(text).toMatch(
      /Warning · Summaries: Couldn’t deliver \d summar(?:y|ies) in the last 30 days\. The app’s Home tab/,
    );
  });

  it.each([
    { whom: 'an admin who isn’t in it', members: [ALEX, SAM], isNamed: false },
    { whom: 'its members', members: [ALEX, ADA], isNamed: true },
    { whom: 'its members while Slack is down', members: [ALEX, ADA], isNamed: false, isDown: true },
    { whom: 'everyone if it’s public', members: [ALEX], isNamed: true, isPrivate: false },
    { whom: 'whoever set it up, though they left', members: [ADA], isNamed: true, by: ADA },
  ])(
    'names a private channel to $whom: $isNamed',
    async ({ members, isNamed, isDown, isPrivate = true, by = ALEX }) => {
      const clock = { ahead: 0 };
      const { sandbox } = await openStage({
        ...withLeads(members, isPrivate),
        now: () => Date.now() + clock.ahead,
      });
      await personIn(sandbox, by).type('/cobrowse subscribe #leads');
      // What Slack said a moment ago counts no more.
      clock.ahead = 10_000;
      if (by === ADA) sandbox.slack.leave({ channel: leads.id, user: ADA });
      if (isDown === true) sandbox.slack.fail('conversations.members', 'internal_error', 20);
      const { text, blocks } = await personIn(sandbox, ADA).type('/cobrowse doctor');
      const name = isNamed ? `Channel: <#${leads.id}>` : 'Private channel you aren’t in:';
      expect(text).toContain(`${name} The app is in this channel.`);
      expect(JSON.stringify({ text, blocks }).includes(leads.id)).toBe(isNamed);
    },
  );
});

const { scopes } = manifest.oauth_config;
const without = { bot: scopes.bot.filter((scope) => !/^(?:usergroups|files):/.test(scope)) };

it('an installation with fewer scopes than needed is named to admins in Home and by the doctor, with a link to install again', async () => {
  const { sandbox } = await startForMany({
    storeUrl: await sqlite.newUrl(),
    connects: true,
    sandboxOptions: { slack: { manifest: { ...manifest, oauth_config: { scopes: without } } } },
  });
  const words = 'Missing: usergroups:read, files:write. Install the app again';
  const home = await atHome(sandbox, ADA).open();
  const doctor = await personIn(sandbox, ADA).type('/cobrowse doctor');
  for (const blocks of [home, doctor.blocks]) {
    expect(readable(blocks)).toContain(words);
    expect(JSON.stringify(blocks)).toContain(`"url":"${sandbox.publicUrl}/slack/install"`);
  }
  expect(readable(await atHome(sandbox, ALEX).open())).not.toContain('Missing');
});
