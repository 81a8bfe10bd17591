import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { acme as seeded } from '../../../sandbox/slack/seed.ts';
import type { StandInSlack } from '../../../sandbox/slack/slack.ts';
import { ADA } from '../../home/at-home.ts';
import { connect, giveAccess, install } from '../../sandbox/install.ts';
import { PATIENT_MS, expectSound } from '../../support/checked-sandbox.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { SUPPORT, personIn, readable } from '../../support/person.ts';

const found = async (slack: StandInSlack) =>
  readable((await personIn({ slack }).type('/cobrowse find jane')).blocks);

it('an app for one workspace doesn’t start with the token of an organization, and says what to do', async () => {
  const organization = { id: 'E0ACMEGROUP', name: 'Acme Group' };
  const seed = { ...seeded, workspace: { ...seeded.workspace, organization } };
  await expect(startSandbox({ slack: { seed } })).rejects.toThrow(
    'SLACK_BOT_TOKEN is of a whole organization. Install the app in one workspace',
  );
});

describe.each(engines)('two organizations that install the app, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  let sandbox: Sandbox;
  let acme: StandInSlack;
  let umbrella: StandInSlack;

  beforeAll(async () => {
    const patient = { paceMs: 0, pageWaitMs: PATIENT_MS };
    sandbox = await startSandbox({ workspaces: 2, organizations: true, ...patient, storeUrl: storeUrl() });
    acme = sandbox.slack;
    umbrella = sandbox.many?.umbrella ?? sandbox.slack;
  });
  afterAll(async () => {
    expectSound(sandbox);
    expectSound({ ...sandbox, slack: umbrella });
    await sandbox.close();
  });

  it('are told to add it to workspaces, in which it then works, and see nothing of the other', async () => {
    for (const slack of [acme, umbrella]) {
      const page = await (await install(sandbox, slack, { as: ADA })).text();
      expect(page).toContain(`It’s now in the organization ${slack.workspace.name} Group, and in none`);
      await giveAccess(slack);
      slack.join({ channel: SUPPORT, user: slack.bot.userId });
    }
    expect(await found(acme)).toContain('Jane Cooper');
    // Each has its own account and customers.
    await connect(umbrella, sandbox.many?.account ?? sandbox.service);
    expect(await found(umbrella)).not.toContain('Cooper');
    expect(/umbrella/i.test(JSON.stringify(acme.calls))).toBe(false);
    expect(JSON.stringify(umbrella.calls).includes('0ACME00000')).toBe(false);
  });

  it('lose it where they take it away, and find everything as it was when they give it back', async () => {
    const ada = personIn({ slack: acme }, ADA);
    await ada.type('/cobrowse subscribe all');
    const listed = async () => (await ada.type('/cobrowse subscriptions')).text;
    const before = await listed();
    expect(before).toContain(SUPPORT);
    acme.changeAccess(false);
    expect(await found(umbrella)).toContain('Jane Umbrella');
    await giveAccess(acme);
    acme.join({ channel: SUPPORT, user: acme.bot.userId });
    await expect.poll(listed).toBe(before);
  });
});
