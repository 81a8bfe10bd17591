import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ALEX } from './person.ts';
import { JSON_TYPE, signedHeaders } from './signed.ts';

export const ACME = 'T0ACME00000';

const secretOf = ({ config: { slack } }: Pick<Sandbox, 'config'>) =>
  slack.mode === 'socket' ? '' : slack.signingSecret;

/** POSTs to /mcp as Slack signs it; `headers` come on top. */
export async function postToMcp(
  sandbox: Pick<Sandbox, 'config' | 'publicUrl'>,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const signed = { 'content-type': JSON_TYPE, ...signedHeaders(secretOf(sandbox), body), ...headers };
  return fetch(`${sandbox.publicUrl}/mcp`, { method: 'POST', headers: signed, body });
}

/** A call as Slackbot makes it. Each has another id, so that two are never the same request. */
let calls = 0;
export const callOf = (
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  slack: unknown = { user_id: ALEX, team_id: ACME },
) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: (calls += 1),
    method: 'tools/call',
    params: { name, arguments: args, _meta: { slack } },
  });

/** The official client, whose requests Slack signs. */
export async function slackbotOf(sandbox: Pick<Sandbox, 'config' | 'publicUrl'>): Promise<Client> {
  const client = new Client({ name: 'Slackbot', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${sandbox.publicUrl}/mcp`), {
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        for (const [name, value] of Object.entries(
          signedHeaders(secretOf(sandbox), typeof init?.body === 'string' ? init.body : ''),
        ))
          headers.set(name, value);
        return fetch(url, { ...init, headers });
      },
    }),
  );
  return client;
}
