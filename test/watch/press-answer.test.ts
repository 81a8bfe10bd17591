import { describe, expect, it, onTestFinished } from 'vitest';
import { answerJson, startLocalService } from '../cobrowse/local-service.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, buttonsIn, personIn } from '../support/person.ts';
import { linksMade } from './opening.ts';

describe('Watch without an address of ours', () => {
  const { sandbox } = checkedSandbox({ socketMode: true, service: { sessionLimit: 100 } });

  it('gives one link for a double tap, and another for a later press', async () => {
    const alex = personIn(sandbox());
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
      expect(alex.button(ready, /^Open the live view/).url).toMatch(/^http/);
    }
    await tap('noah', 0, 0);
    await tap('priya55', 2_000);
    expect(linksMade(sandbox())).toHaveLength(2);
  });
});

describe('Watch by somebody of whom the service can’t say who they are', () => {
  const { sandbox } = checkedSandbox();

  it('has “Try again”, which brings the link', async () => {
    let canSay = false;
    const service = await startLocalService(({ url = '', method }, response) => {
      const isLookUp = url.includes('lookup');
      if (isLookUp && !canSay) response.writeHead(500).end();
      else if (isLookUp) answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
      else if (method === 'POST') answerJson(response, { watch_url: 'https://service.example/watch/fresh' });
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
    const answer = await alex.pressToReplace(await alex.type('/cobrowse watch jane4821'), /^Watch/);
    expect(answer.text).toContain('which agent you are');
    expect(buttonsIn(answer.blocks).map(({ text }) => text.text)).toEqual(['Try again']);
    expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    canSay = true;
    const ready = await alex.pressToReplace(answer, /^Try again/);
    expect(JSON.stringify(ready.blocks)).toContain('https://service.example/watch/fresh');
  });
});
