import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT_MS } from '../support/checked-sandbox.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { SandboxDeployment } from '../../sandbox/sandbox.ts';
import { personIn, readable } from '../support/person.ts';

async function deploy(deployment: SandboxDeployment) {
  const sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, deployment });
  onTestFinished(() => sandbox.close());
  return { sandbox, alex: personIn(sandbox) };
}

const tokenCalls = (paths: readonly string[]) => paths.filter((path) => path === '/v1.3/onpremise/token');

describe.each(['on-premise', 'on-premise-connected'] as const)('the main job, %s', (deployment) => {
  it('goes from find over Watch to the page of the visitor', async () => {
    const { sandbox, alex } = await deploy(deployment);
    const list = await alex.type('/cobrowse find jane@acme.com');
    expect(readable(list.blocks)).toContain('Jane Cooper');

    const redirect = await alex.watch(list, /^Watch the screen of Jane Cooper/);
    expect(redirect.status).toBe(302);
    const link = redirect.headers.get('location') ?? '';
    expect(link).toContain(`${sandbox.service.onPremise.baseEndpoint}/watch/`);

    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Jane Cooper')]);
    expect(sandbox.service.sessions()[0]).toMatchObject({ visitor_id: 'jane4821', on_premise: true });
    const asked = sandbox.service.requests.map(({ path }) => path);
    expect(tokenCalls(asked)).toHaveLength(deployment === 'on-premise' ? 1 : 0);
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(link);
  });

  it('says that a session can’t be stopped, and doesn’t ask any service to', async () => {
    const { sandbox, alex } = await deploy(deployment);
    const answer = await alex.type('/cobrowse stop jane4821');
    expect(answer.text).toContain('On-premise can’t stop sessions from here.');
    expect(sandbox.service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });
});

describe('help on-premise', () => {
  it.each([
    ['on-premise', ['find', 'usage', 'proxy', 'agent', 'subscribe'], ['stop', 'delete']],
    [
      'on-premise-connected',
      ['find', 'watch'],
      ['stop', 'delete', 'usage', 'proxy', 'agent', 'subscribe', 'digest'],
    ],
  ] as const)('lists what works there and nothing else: %s', async (deployment, listed, missing) => {
    const { sandbox } = await deploy(deployment);
    const ada = personIn(sandbox, 'U0ADA000005');
    const help = await ada.type('/cobrowse help');
    const all = await ada.pressToReplace(help, /^All commands/);
    for (const name of listed) expect(all.text).toContain(`/cobrowse ${name}`);
    for (const { text } of [help, all]) {
      for (const name of missing) expect(text).not.toContain(`/cobrowse ${name}`);
      expect(text).not.toContain('Stop session');
    }
  });

  it('suggests no command that doesn’t work there', async () => {
    const { alex } = await deploy('on-premise-connected');
    expect((await alex.type('/cobrowse stpp nobody')).text).not.toContain('cobrowse stop');
  });
});

it.each([
  ['on-premise', '30 days'],
  ['on-premise-connected', 'doesn’t offer this'],
] as const)('usage is the cloud’s, if there is one: %s', async (deployment, words) => {
  const { alex } = await deploy(deployment);
  expect((await alex.type('/cobrowse usage')).text).toContain(words);
});

describe('an installation that reports no session ends, and has no account to ask', () => {
  it('is promised no summaries, neither by subscribing nor by the doctor', async () => {
    const { sandbox, alex } = await deploy('on-premise-connected');
    for (const command of ['subscribe', 'digest daily 9'])
      expect((await alex.type(`/cobrowse ${command}`)).text).toContain('doesn’t report when sessions end');
    expect((await alex.type('/cobrowse subscriptions')).text).not.toContain('Active');
    const ada = personIn(sandbox, 'U0ADA000005');
    expect((await ada.type('/cobrowse doctor')).text).toContain('there are no summaries');
  });

  it('has no commands for sessions that ended in its help', async () => {
    const { alex } = await deploy('on-premise-connected');
    const { text } = await alex.pressToReplace(await alex.type('/cobrowse help'), /^All commands/);
    expect(text).toContain('/cobrowse visitor');
    expect(text).not.toMatch(/sessions|followups|subscribe|digest/);
  });

  it('has its summaries promised with an account', async () => {
    const { alex } = await deploy('on-premise');
    expect((await alex.type('/cobrowse subscribe all')).text).toContain('gets summaries');
  });
});
