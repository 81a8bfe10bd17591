import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import type { StandInSlack } from '../../../sandbox/slack/slack.ts';
import { ADA } from '../../home/at-home.ts';
import { connect, giveAccess, install } from '../../sandbox/install.ts';
import { PATIENT_MS, keptLog } from '../../support/checked-sandbox.ts';
import { engines, sqlite } from '../../support/engines.ts';
import { ALEX, SAM, SUPPORT, anotherLink, personIn } from '../../support/person.ts';
import { rawDatabase } from '../../workspaces/raw-database.ts';
import { followUp } from './journeys.ts';
import { findSecrets, placeOf, type Place, type Secret } from './search.ts';
import { named, sentTo, sessionEndTickets, watchTickets } from './watched-world.ts';

/** A workspace that installs the app and connects an account, from find over Watch to what follows a summary. */
async function goThrough(sandbox: Sandbox, slack: StandInSlack, service: Sandbox['service'], email: string) {
  const pages: Place[] = [];
  const links: string[] = [];
  const installing = vi.spyOn(slack, 'install');
  const installed = await install(sandbox, slack, { as: ALEX });
  pages.push(placeOf('page after the installation', await installed.text()));
  if (slack.workspace.organization !== undefined) await giveAccess(slack);
  slack.join({ channel: SUPPORT, user: slack.bot.userId });
  await connect(slack, service);

  const alex = personIn({ slack });
  const list = await alex.type(`/cobrowse find ${email}`);
  for (let time = 0; time < 2; time += 1) {
    const opened = await anotherLink(await alex.watch(list, /^Watch/));
    pages.push(placeOf(`page ${opened.status}`, await opened.text()));
    links.push(opened.headers.get('location') ?? '');
  }
  const session = await service.openWatchLink(links[0] ?? '');
  await service.endSession(session.id);
  await followUp({ slack });
  service.misbehave({ fail: { with: 401 } });
  await alex.type('/cobrowse find jane');
  slack.fail('response_url', { status: 500 });
  await alex.type('/cobrowse help');
  await personIn({ slack }, ADA).type('/cobrowse audit');
  await personIn({ slack }, ADA).type('/cobrowse doctor');

  const name = slack.workspace.name;
  const tokens = installing.mock.results.map(({ value }) => String(value));
  const secrets: readonly Secret[] = [
    ...named('bot token', tokens),
    { name: 'API key', value: service.apiKey },
    ...named(
      'watch link',
      links.map((link) => link.split('/').at(-1) ?? ''),
    ),
    ...sessionEndTickets(service),
  ];
  const ofIt = (secret: Secret): Secret => ({ ...secret, name: `${name}’s ${secret.name}` });
  return {
    pages,
    /** What nobody may read anywhere. */
    secrets: secrets.map(ofIt),
    /** What is in its own Slack, and nowhere else. */
    tickets: watchTickets(slack).map(ofIt),
    /** All that its people see, and its service is sent. */
    places: [
      ...sentTo(slack),
      ...[ADA, ALEX, SAM].map((user) => placeOf(`what ${user} sees`, slack.snapshot(user))),
    ].map((place) => ({ ...place, name: `${name}: ${place.name}` })),
    asked: placeOf(`what ${name}’s service is asked`, service.requests),
  };
}

// One of each on either engine: what is kept is the same on both.
describe.each([
  { ...sqlite, who: 'two workspaces', organizations: false },
  { ...(engines.at(-1) ?? sqlite), who: 'workspaces of two organizations', organizations: true },
])('$who with an account each, in $engine', ({ newUrl, organizations }) => {
  it('have none of each other’s tokens, keys and links, nor are their own to be read in the database or the log', async () => {
    const storeUrl = await newUrl();
    const { log, lines } = keptLog();
    const sandbox = await startSandbox({
      workspaces: 2,
      organizations,
      paceMs: 0,
      pageWaitMs: PATIENT_MS,
      storeUrl,
      log,
    });
    onTestFinished(() => sandbox.close());
    const { slack, service, many } = sandbox;
    if (many === undefined) throw new Error('There is one workspace.');
    const acme = await goThrough(sandbox, slack, service, 'jane@acme.com');
    const umbrella = await goThrough(sandbox, many.umbrella, many.account, 'jane@umbrella.example');

    for (const { secrets, tickets, places, asked } of [acme, umbrella]) {
      // A token, a key, and two links with the addresses of their webhooks, which the service is told.
      expect(secrets).toHaveLength(6);
      expect(findSecrets([asked], secrets)).toHaveLength(2);
      expect(findSecrets(places, tickets).length).toBeGreaterThan(2);
    }
    const ours = [
      placeOf('the database', await rawDatabase(storeUrl)),
      placeOf('the log', lines.join('\n')),
      placeOf('the metrics', await (await fetch(`${sandbox.publicUrl}/metrics`)).text()),
      ...acme.pages,
      ...umbrella.pages,
    ];
    const secrets = [...acme.secrets, ...umbrella.secrets];
    expect(findSecrets([...ours, ...acme.places, ...umbrella.places], secrets)).toEqual([]);
    expect(findSecrets(ours, [...acme.tickets, ...umbrella.tickets])).toEqual([]);
    for (const [one, other] of [
      [acme, umbrella],
      [umbrella, acme],
    ] as const)
      expect(findSecrets([...one.places, one.asked], [...other.secrets, ...other.tickets])).toEqual([]);
  });
});
