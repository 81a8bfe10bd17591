import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agent, ask, listener, standIn, watchLink } from './stand-in.ts';

/*
 * The answers' shapes as the service document writes them, and from nothing else: a client written by that document
 * alone must be able to work with the stand-in.
 */

const time = z.iso.datetime({ offset: true });
const count = z.int().nonnegative();
const ok = z.literal('ok');

/** An object with at least these fields, some of them in this shape. */
const having = <Shape extends z.core.$ZodLooseShape>(names: string, shape: Shape) =>
  z.looseObject(shape).refine((given) => names.split(' ').every((name) => name in given));

const sessionAgent = having('id agent_nickname name external_id on_premise', {
  email: z.email(),
  _type: z.literal('user'),
});
const session = having(
  'id call_length_seconds call_name formatted_call_length formatted_length on_premise public_video_url ' +
    'session_authorized source team video_status video_url visitor_id went_live',
  {
    agents: z.array(sessionAgent),
    started_at: time,
    ended_at: time,
    features_used: z.array(z.string()),
    length_seconds: count,
    quality_feedback: z.array(z.unknown()),
    _type: z.literal('session'),
  },
);
const accountUser = having(
  'id agent_nickname first_name last_name name from_oauth live_support mfa_enabled password phone_number ' +
    'signup_hours_offset timezone',
  {
    created_at: time,
    email: z.email(),
    last_request_at: time,
    _type: z.literal('user'),
    sessions: z.array(session).min(1),
  },
);
const usage = z.object({
  agents: z.object({ last_30_days: count, today: count }),
  session_counts: z.object({ last_30_days: count, now: count, today: count }),
  session_seconds: z.object({ last_30_days: count, today: count }),
  visitors: z.object({ last_24_hrs: count, online_now: count }),
});
const visitor = z.object({ short_id: z.string() });
const withHistory = visitor.extend({ history: z.array(z.unknown()).min(1) });

const rows = {
  'GET /usage': z.object({ status: ok, usage }),
  'GET /list': z.object({ status: ok, visitors: z.array(visitor).min(1) }),
  'GET /list?search=jane@acme.com&max_results=1': z.object({
    status: ok,
    visitors: z.tuple([z.object({ email: z.literal('jane@acme.com') })]),
  }),
  'GET /list?search=nobody@none.example': z.object({ status: ok, visitors: z.tuple([]) }),
  'GET /visitors/jane4821': z.object({ status: ok, visitor }),
  'GET /visitors/jane4821?with_history=true': z.object({ status: ok, visitor: withHistory }),
  'POST /visitors/jane4821/watch_url': z.object({ status: ok, watch_url: z.url(), expiration: time }),
  'GET /agents/lookup?email=alex@acme.com': z.object({ status: ok, agent: accountUser }),
  'POST /proxy_sessions': z.object({ status: ok, proxy_url: z.url() }),
  'POST /onpremise/token': z.object({ authorized: z.literal(true), token: z.string() }),
} as const;

const everyField = {
  agent,
  branding: { naked: 'page_only', retry_url: null, on_end_url: 'https://app.example/end' },
  permissions: { allow_agent_redirect: true, allow_audio: false, allow_click: true, allow_console: false },
  metadata: { link: 'g1', attempt: 1, test: true },
  webhook_url: 'https://app.example/webhooks/session-end/t',
  initial_notes: 'Asked about the invoice.',
  viewer: { id: 'v1', name: 'Vera' },
};
const bodies = new Map<string, object>([
  ['POST /visitors/jane4821/watch_url', everyField],
  ['POST /visitors/lm3/watch_url', { agent }],
  ['POST /visitors/nobody/watch_url', { agent }],
  ['POST /proxy_sessions', {}],
  ['POST /onpremise/token', { visitor_id: 'jane4821', agent }],
]);

describe('the stand-in service by the document', () => {
  it.each(Object.entries(rows))('answers %s with 200 and the documented fields', async (request, shape) => {
    const service = await standIn({ proxyEnabled: true });
    const response = await ask(service, request, bodies.get(request));
    expect(response.status).toBe(200);
    expect(shape.safeParse(await response.json())).toMatchObject({ success: true });
  });

  it.each([
    ['GET /visitors/nobody', 404, 'not_found'],
    ['POST /visitors/nobody/watch_url', 404, 'not_found'],
    ['DELETE /visitors/nobody/session', 404, 'not_found'],
    ['DELETE /visitors/jane4821', 409, 'visitor_online'],
    ['DELETE /visitors', 400, 'invalid_parameter: all'],
    ['GET /agents/lookup?email=alex@acme.com&external_id=agent_alex', 404, 'not_found'],
    ['GET /agents/lookup?email=none@none.example', 404, 'not_found'],
    ['POST /visitors/lm3/watch_url', 402, 'session_limit_reached'],
    ['POST /onpremise/token', 402, 'session_not_authorized'],
    ['POST /proxy_sessions', 402, 'proxy_not_enabled'],
  ])('refuses %s with %i and %s, beyond the subscription or not', async (request, status, error) => {
    const service = await standIn({ sessionLimit: 0 });
    const response = await ask(service, request, bodies.get(request));
    expect([response.status, await response.json()]).toEqual([status, { status: 'error', error }]);
  });

  it.each([
    ['agent.id', { agent: { id: '', name: 'x' } }],
    ['metadata.nested', { metadata: { nested: {} } }],
    ['permissions.allow_click', { permissions: { allow_click: 'yes' } }],
    ['webhook_url', { webhook_url: 'ftp://example.com' }],
  ])('refuses a wrong %s of a watch link by name', async (field, body) => {
    const response = await ask(await standIn(), 'POST /visitors/jane4821/watch_url', { agent, ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ status: 'error', error: `invalid_parameter: ${field}` });
  });

  it.each([{}, { 'x-api-key': 'wrong' }, { authorization: 'test-key' }])(
    'asks for its key on every path: not %o',
    async (headers) => {
      const { url } = await standIn();
      for (const path of ['/v1.3/usage', '/v1.3/visitors/nobody', '/v1.3/no/such/row']) {
        const response = await fetch(`${url}${path}`, { headers });
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({ status: 'error', error: 'invalid_api_key' });
      }
    },
  );

  it('posts the Session as JSON after it ended', async () => {
    const hook = await listener();
    const service = await standIn();
    const alex = { agent: { id: 'agent_alex', name: 'Alex' }, webhook_url: hook.url };
    const { url } = await watchLink(service, 'jane4821', alex);
    await fetch(url);
    await fetch(`${url}/end`, { method: 'POST' });
    await expect.poll(() => hook.bodies).toHaveLength(1);
    const posted = JSON.parse((hook.bodies[0] ?? '').replace('POST /end ', ''));
    expect(session.safeParse(posted)).toMatchObject({ success: true });
  });
});
