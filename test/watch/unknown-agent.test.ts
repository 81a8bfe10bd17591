import { describe, expect, it, onTestFinished } from 'vitest';
import { startLocalService } from '../cobrowse/local-service.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { buttonsIn, personIn } from '../support/person.ts';
import { answerJson } from './app-between.ts';

describe('Watch without an address of ours, by somebody of whom the service cannot say who they are', () => {
  const { sandbox } = checkedSandbox();

  it('is answered in words with “Try again”, which brings the link once the service can', async () => {
    let canSay = false;
    const service = await startLocalService((request, response) => {
      const { url = '', method } = request;
      if (method === 'POST') answerJson(response, { watch_url: 'https://service.example/watch/fresh' });
      else if (!url.includes('lookup')) answerJson(response, { visitor: { short_id: 'jane4821' } });
      else if (canSay) answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
      else response.writeHead(500).end();
    });
    const { config, slack } = sandbox();
    const app = await appBefore({ ...sandbox(), config: { ...config, publicUrl: undefined } }, service.url);
    onTestFinished(async () => {
      slack.setRequestUrl(`${sandbox().publicUrl}/slack/events`);
      await service.close();
      await app.stop();
    });
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    const failed = await alex.pressToReplace(offer, /^Watch/);
    expect(failed.text).toContain('which agent you are');
    expect(buttonsIn(failed.blocks).map(({ text }) => text.text)).toEqual(['Try again']);
    expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    canSay = true;
    const ready = await alex.pressToReplace(failed, /^Try again/);
    expect(JSON.stringify(ready.blocks)).toContain('https://service.example/watch/fresh');
  });
});
