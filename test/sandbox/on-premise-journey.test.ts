import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT_MS } from '../support/checked-sandbox.ts';
import { startSandbox, type SandboxDeployment } from '../../sandbox/sandbox.ts';
import { ALEX, buttonsIn, personIn, readable } from '../support/person.ts';

async function deploy(deployment: SandboxDeployment) {
  const sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, deployment });
  onTestFinished(() => sandbox.close());
  return { sandbox, alex: personIn(sandbox), ada: personIn(sandbox, 'U0ADA000005') };
}

const tokenCalls = (paths: readonly string[]) => paths.filter((path) => path === '/v1.3/onpremise/token');

describe.each([
  ['on-premise', '30 days', 'gets summaries'],
  ['on-premise-connected', 'doesn’t offer this', 'doesn’t report when sessions end'],
] as const)('the main job, %s', (deployment, usage, subscribed) => {
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

    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    expect(buttonsIn(card.blocks).filter(({ text }) => text.text.includes('Stop'))).toEqual([]);
  });

  it('says what the installation can’t do, and asks no service to', async () => {
    const { sandbox, alex } = await deploy(deployment);
    const stop = await alex.type('/cobrowse stop jane4821');
    expect(stop.text).toContain('On-premise can’t stop sessions from here.');
    expect((await alex.type('/cobrowse usage')).text).toContain(usage);
    expect((await alex.type('/cobrowse subscribe all')).text).toContain(subscribed);
    expect(sandbox.service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });
});

describe('an installation that reports no session ends, and has no account to ask', () => {
  it('lists in its help what works there and nothing else, and suggests nothing else', async () => {
    const { alex, ada } = await deploy('on-premise-connected');
    const help = await ada.type('/cobrowse help');
    const all = await ada.pressToReplace(help, /^All commands/);
    for (const name of ['find', 'watch', 'visitor', 'subscribe'])
      expect(all.text).toContain(`/cobrowse ${name}`);
    const missing = /cobrowse (?:stop|delete|usage|proxy|agent|sessions|followups|digest)|Stop session/;
    for (const { text } of [help, all]) expect(text).not.toMatch(missing);
    expect((await alex.type('/cobrowse stpp nobody')).text).not.toContain('cobrowse stop');
  });

  it('is promised no summaries, neither by a digest nor by the doctor, and Start co-browsing asks nobody where one goes', async () => {
    const { sandbox, alex, ada } = await deploy('on-premise-connected');
    const digest = await alex.type('/cobrowse digest daily 9');
    expect(digest.text).toContain('doesn’t report when sessions end');
    expect((await alex.type('/cobrowse subscriptions')).text).not.toContain('Active');
    expect((await ada.type('/cobrowse doctor')).text).toContain('there are no summaries');
    await sandbox.slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
    const form = await alex.modal((view) => view.submit === 'Continue');
    expect(form.blocks.map(({ block_id: id }) => id)).toEqual(['visitor', 'access']);
  });
});
