import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../sandbox/listen.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { isForm, openStart, suggestIn } from '../slack/forms.ts';
import { sqlite } from '../support/engines.ts';
import { personIn, readable } from '../support/person.ts';
import { FORM, signedHeaders } from '../support/signed.ts';
import { startForMany } from './many-stage.ts';

const GLOBEX = 'T0GLOBEX000';
const REFUSED = /This belongs to another workspace/;
/** What is behind an id that carries an install id. */
const MARK = /@[\w-]{36}"/g;

const unchanged = (payload: string): string => payload;
/** As Slack might name Globex where it means Acme: both have the app, in a channel that they share. */
const ofGlobex = (payload: string): string => {
  const { view, ...rest } = JSON.parse(payload);
  const seen = view === undefined ? {} : { view: { ...view, app_installed_team_id: GLOBEX } };
  return JSON.stringify({ ...rest, ...seen, team: { id: GLOBEX } });
};
/** As it was before ids carried anything. */
const unmarked = (payload: string): string => payload.replaceAll(MARK, '"');

/** Alex has a card of Jane's session in Acme, which shares a channel with Globex. */
async function stage() {
  const { sandbox } = await startForMany({
    storeUrl: await sqlite.newUrl(),
    connects: true,
    beside: [GLOBEX],
  });
  const { slack, service, config, publicUrl } = sandbox;
  const secret = config.slack.mode === 'many' ? config.slack.signingSecret : '';
  let change = unchanged;
  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payload = new URLSearchParams(await text(request)).get('payload') ?? '';
    const body = `payload=${encodeURIComponent(change(payload))}`;
    const headers = { 'content-type': FORM, ...signedHeaders(secret, body) };
    const answer = await fetch(`${publicUrl}/slack/events`, { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? FORM });
    response.end(await answer.text());
  }
  const between = createServer((request, response) => void relay(request, response));
  const url = await listen(between, 0);
  onTestFinished(() => void between.close());
  const alex = personIn(sandbox);
  const found = await alex.type('/cobrowse find jane');
  const { headers } = await alex.watch(found);
  await service.openWatchLink(headers.get('location') ?? '');
  const card = await alex.message(({ text: words }) => words.includes('’s screen'));
  return {
    sandbox,
    alex,
    found,
    card,
    /** From now on Slack sends something else. */
    sends: (changed: typeof change) => {
      change = changed;
      slack.setRequestUrl(`${url}/slack/events`);
    },
  };
}

describe('what one workspace posted, used in the name of another', () => {
  it('does nothing as a button of an answer, a post or the Home tab, and says so', async () => {
    const { sandbox, alex, found, card, sends } = await stage();
    const ada = atHome(sandbox, ADA);
    await ada.open();
    sends(ofGlobex);
    const before = sandbox.service.requests.length;
    expect((await alex.pressFor(found, /^Details/)).text).toMatch(REFUSED);
    expect((await alex.pressFor(card, /^Stop/)).text).toMatch(REFUSED);
    await ada.pressFor(/^Disconnect/, REFUSED);
    expect(sandbox.service.requests).toHaveLength(before);
  });

  it('does nothing as a form or a message shortcut, suggests nobody in it, and says so', async () => {
    const { sandbox, alex, card, sends } = await stage();
    const start = await openStart(sandbox);
    expect(await suggestIn(sandbox, start)).not.toMatchObject({ options: [] });
    sends(ofGlobex);
    const suggested = sandbox.service.requests.length;
    expect(await suggestIn(sandbox, start)).toMatchObject({ options: [] });
    expect(sandbox.service.requests).toHaveLength(suggested);

    sends(unchanged);
    await alex.press(card, /^Stop/);
    await alex.modal(({ title, submit }) => title === 'Stop session' && submit !== undefined);
    sends(ofGlobex);
    const before = sandbox.service.requests.length;
    const refused = await alex.stop(async () => undefined);
    expect(readable(refused.blocks)).toMatch(REFUSED);
    const form = await alex.shortcut(card, 'find_visitor', isForm);
    expect(readable(form.blocks)).toContain('I found nothing to search for');
    expect(sandbox.service.requests).toHaveLength(before);
  });

  it('is known by its bot where it was posted before buttons were bound', async () => {
    const { alex, card, sends } = await stage();
    sends((payload) => unmarked(ofGlobex(payload)));
    expect((await alex.pressFor(card, /^Stop/)).text).toMatch(REFUSED);
    sends(unmarked);
    expect(readable((await alex.stop(() => alex.press(card, /^Stop/))).blocks)).toContain('was stopped');
  });
});
