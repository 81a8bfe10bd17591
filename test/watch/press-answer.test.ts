import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestListener } from 'node:http';
import { answerJson, startLocalService } from '../cobrowse/local-service.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, buttonsIn, personIn } from '../support/person.ts';

describe('Watch without an address of ours', () => {
  const { sandbox } = checkedSandbox();

  /** An app without a public address, before a service that knows Jane, and the look-ups of the test. */
  async function pressedBefore(peers: { readonly lookup?: RequestListener; readonly link: RequestListener }) {
    const service = await startLocalService((request, response) => {
      const { url = '', method } = request;
      const isLookUp = url.includes('lookup');
      if (method === 'POST') peers.link(request, response);
      else if (isLookUp && peers.lookup !== undefined) peers.lookup(request, response);
      else if (isLookUp) answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
      else answerJson(response, { visitor: { short_id: url.slice(url.lastIndexOf('/') + 1) } });
    });
    const { config, slack, publicUrl } = sandbox();
    const app = await appBefore({ ...sandbox(), config: { ...config, publicUrl: undefined } }, service.url);
    onTestFinished(async () => {
      slack.setRequestUrl(`${publicUrl}/slack/events`);
      await service.close();
      await app.stop();
    });
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    return { service, alex, answer: await alex.pressToReplace(offer, /^Watch/) };
  }

  it('by somebody of whom the service can’t say who they are has “Try again”, which brings the link', async () => {
    let canSay = false;
    const { alex, service, answer } = await pressedBefore({
      lookup(_, response) {
        if (canSay) answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
        else response.writeHead(500).end();
      },
      link: (_, response) => answerJson(response, { watch_url: 'https://service.example/watch/fresh' }),
    });
    expect(answer.text).toContain('which agent you are');
    expect(buttonsIn(answer.blocks).map(({ text }) => text.text)).toEqual(['Try again']);
    expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    canSay = true;
    const ready = await alex.pressToReplace(answer, /^Try again/);
    expect(JSON.stringify(ready.blocks)).toContain('https://service.example/watch/fresh');
  });

  it('gives one link for a double tap, and another for a later press', async () => {
    const { service, alex } = await pressedBefore({
      link: (_, response) => answerJson(response, { watch_url: 'https://service.example/watch/fresh' }),
    });
    const links = () => service.requests.filter((request) => request.startsWith('POST')).length;
    /** Presses Watch of a new list so many milliseconds from now, once for each; waits for the link. */
    async function tap(visitorId: string, ...later: readonly number[]): Promise<void> {
      const offer = await alex.type(`/cobrowse watch ${visitorId}`);
      const { block_id, action_id = '' } = alex.button(offer, /^Watch/);
      const source = { type: 'message', channel: offer.channel, ts: offer.ts } as const;
      const tapped = later.map((later_ms) =>
        sandbox().slack.press({ as: ALEX, source, block_id, action_id, later_ms }),
      );
      expect(await Promise.all(tapped)).toEqual(later.map(() => ({ ok: true })));
      const ready = await alex.message(({ ts, text }) => ts === offer.ts && text !== offer.text);
      expect(JSON.stringify(ready.blocks)).toContain('https://service.example/watch/fresh');
    }
    expect(links()).toBe(1);
    await tap('noah', 2_000, 2_000);
    await tap('priya55', 4_000);
    expect(links()).toBe(3);
  });
});
