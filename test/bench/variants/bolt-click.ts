import type { ServerResponse } from 'node:http';
import { App } from '@slack/bolt';
import { settings } from './settings.ts';
import { headers, watchRequest, watchUrlIn } from './watch-request.ts';

async function redirect(ticket: string, response: ServerResponse): Promise<void> {
  const { path, body } = watchRequest(ticket);
  const answer = await fetch(settings.COBROWSE_BASE_URL + path, { method: 'POST', headers, body });
  const location = watchUrlIn(await answer.text());
  response.writeHead(302, { location, 'cache-control': 'no-store' }).end();
}

const app = new App({
  token: settings.SLACK_BOT_TOKEN,
  signingSecret: settings.SLACK_SIGNING_SECRET,
  clientOptions: { slackApiUrl: `${settings.SLACK_API_URL}/` },
  customRoutes: [
    {
      path: '/watch/:ticket',
      method: 'GET',
      handler: ({ params }, response) => void redirect(String(params?.['ticket']), response),
    },
  ],
});

await app.start({ port: 0, host: '127.0.0.1' });
