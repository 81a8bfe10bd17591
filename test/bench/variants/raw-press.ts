import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Agent, request as send } from 'undici';
import { settings } from './settings.ts';
import { isSigned } from './signed.ts';
import { headers, watchRequest, watchUrlIn } from './watch-request.ts';

/* The least of a press and its page: asks Slack who presses and who is in the channel, then the service, and keeps nothing. */

interface Press {
  readonly user: { readonly id: string };
  readonly channel: { readonly id: string };
  readonly actions: readonly [{ readonly value: string }];
}

const dispatcher = new Agent({ keepAliveTimeout: 600_000, keepAliveMaxTimeout: 600_000 });
const toSlack = {
  'content-type': 'application/x-www-form-urlencoded',
  authorization: `Bearer ${settings.SLACK_BOT_TOKEN}`,
};

async function ask(url: string, asked: { readonly headers: Record<string, string>; readonly body: string }) {
  const { body } = await send(url, { method: 'POST', dispatcher, ...asked });
  return body.text();
}

async function askSlack(method: string, about: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(about).toString();
  return ask(`${settings.SLACK_API_URL}/${method}`, { headers: toSlack, body });
}

/** Whether the press of a visitor's button is allowed, for its page, whichever of them comes first. */
const pressed = new Map<string, PromiseWithResolvers<boolean>>();

function pressOf(visitorId: string): PromiseWithResolvers<boolean> {
  const press = pressed.get(visitorId) ?? Promise.withResolvers<boolean>();
  pressed.set(visitorId, press);
  return press;
}

async function judge(form: string): Promise<void> {
  const { user, channel, actions }: Press = JSON.parse(new URLSearchParams(form).get('payload') ?? '');
  const [visitorId]: [string] = JSON.parse(actions[0].value);
  const [person, people] = await Promise.all([
    askSlack('users.info', { user: user.id }),
    askSlack('conversations.members', { channel: channel.id, limit: '999' }),
  ]);
  const { is_admin: isAdmin }: { is_admin: boolean } = JSON.parse(person).user;
  const { members }: { members: readonly string[] } = JSON.parse(people);
  pressOf(visitorId).resolve(isAdmin && members.includes(user.id));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    const body = await buffer(request);
    response.writeHead(isSigned(request, body) ? 200 : 401).end();
    if (response.statusCode === 200) await judge(body.toString());
    return;
  }
  const { path, body } = watchRequest(request.url?.slice('/watch/'.length) ?? '');
  const visitorId = path.split('/').at(-2) ?? '';
  const isAllowed = await pressOf(visitorId).promise;
  pressed.delete(visitorId);
  if (!isAllowed) {
    response.writeHead(403).end();
    return;
  }
  const location = watchUrlIn(await ask(settings.COBROWSE_BASE_URL + path, { headers, body }));
  response.writeHead(302, { location, 'cache-control': 'no-store', 'content-length': 0 }).end();
}

createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
