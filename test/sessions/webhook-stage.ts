import { onTestFinished } from 'vitest';
import { createHttpServer } from '../../src/http/server.ts';
import { blockKitProblems } from '../../sandbox/slack/block-kit.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { SessionSchema, type Session } from '../../src/cobrowse/schemas.ts';
import { Probe, createSessionEndRoute } from '../../src/sessions/webhook.ts';
import { IssuedLink } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { ALEX } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';

/** A summary as a person sees it. */
export interface SeenSummary {
  /** The session's id. */
  readonly id: string;
  readonly channel: string;
  readonly threadTs: string | undefined;
  readonly text: string;
}

/** The summaries that a person sees, oldest first. @throws if one breaks Block Kit's rules */
export function summariesSeenBy(
  slack: Pick<StandInSlack, 'snapshot'>,
  userId = ALEX,
): readonly SeenSummary[] {
  return slack.snapshot(userId).messages.flatMap(({ text, blocks, channel, thread_ts: threadTs }) => {
    // The program before this one begins a line with the agent.
    const id = /(?:^Agent:| with) Agent of (.+?)(?: · |$)/m.exec(text)?.[1];
    if (id === undefined) return [];
    const problems = blockKitProblems('message', { text, blocks });
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return [{ id, channel, threadTs, text }];
  });
}

/** Lines of the log about the deliveries that a session's end came to. */
export function linesAbout(lines: readonly string[], sessionId: string): readonly string[] {
  const made = lines.find((line) => line.includes(`"session":"${sessionId}","deliveries"`)) ?? '';
  const ids = Array.from(made.matchAll(/"id":"([^"]+)"/g), ([, id]) => `"delivery":"${id}"`);
  return lines.filter((line) => ids.some((id) => line.includes(id)));
}

export const isPosted = (lines: readonly string[], sessionId: string): boolean =>
  linesAbout(lines, sessionId).some((line) => line.includes('summary posted'));

export const idsSeenBy = (slack: Pick<StandInSlack, 'snapshot'>, userId = ALEX) =>
  summariesSeenBy(slack, userId).map(({ id }) => id);

export function issueSessionEndTicket(
  secretKeys: readonly [string, ...string[]],
  link: IssuedLink = alexInSupport,
  lifetimeMs = 60_000,
  clock: () => number = Date.now,
): string {
  return createTickets(secretKeys, clock)('session-end', IssuedLink).issue(link, lifetimeMs);
}

interface Told extends Pick<Sandbox, 'slack' | 'publicUrl'> {
  readonly config: Pick<Sandbox['config'], 'secretKeys'>;
  /** The app's clock, if it isn't the test's. */
  readonly now?: () => number;
}

/** The app's webhook as the service calls it. */
export function webhooksOf({ slack, publicUrl, config, now: clock }: Told) {
  let grants = 0;
  // A separate link for each session, unless a test says otherwise.
  const ownLink = () => ({ ...alexInSupport, linkId: `link-${(grants += 1)}` });
  const address = (link: IssuedLink = ownLink(), lifetimeMs?: number) =>
    `${publicUrl}/webhooks/session-end/${issueSessionEndTicket(config.secretKeys, link, lifetimeMs, clock)}`;

  async function sendText(body: string, { to = address() }: { readonly to?: string } = {}) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(to, { method: 'POST', headers, body: Buffer.from(body) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  const send = (body: unknown, ...to: Partial<[{ readonly to?: string }]>) =>
    sendText(JSON.stringify(body), ...to);
  const summaryOf = (id: string, timeoutMs?: number) =>
    slack.until(ALEX, () => summariesSeenBy(slack).find((summary) => summary.id === id), timeoutMs);
  let sentinels = 0;

  return {
    address,
    send,
    sendText,
    /** The summary of a session, once it is there. */
    summaryOf,
    /** All summaries in #support, once a good one that was sent last has come through: a channel keeps its order. */
    async allUntilNow(): Promise<readonly string[]> {
      const id = `sentinel-${(sentinels += 1)}`;
      const answer = await send(endedSession(id));
      if (answer.status !== 200) throw new Error(`The sentinel was answered ${answer.status}.`);
      await summaryOf(id);
      return idsSeenBy(slack).filter((seen) => !seen.startsWith('sentinel-'));
    },
  };
}

const now = () => 1_700_000_000_000;

interface RouteOptions {
  readonly link: IssuedLink;
  readonly accept: (link: IssuedLink, session: Session) => Promise<'accepted' | 'duplicate' | 'too-many'>;
  readonly patienceMs?: number;
}

/** Only the webhook's route, on a clock that stands still; `reports` are the outcomes it reported. */
export async function serveRoute({ link, ...options }: RouteOptions) {
  const reports: string[] = [];
  const kind = createTickets(['k'.repeat(32)], now);
  const tickets = kind('session-end', IssuedLink);
  const route = createSessionEndRoute({
    tickets,
    probeTickets: kind('session-end-probe', Probe),
    check: async () => undefined,
    isOwn: async () => true,
    sessionSchema: SessionSchema,
    ...options,
    report: (outcome, error) => void reports.push(error === undefined ? outcome : `${outcome} ${error.kind}`),
  });
  const server = createHttpServer([route], () => ({ status: 500, body: 'unexpected' }));
  const port = await server.listen(0, '127.0.0.1');
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${port}/webhooks/session-end/${tickets.issue(link, 60_000)}`;
  async function sendBytes(body: Buffer<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }
  async function send(session: unknown) {
    const { status, body } = await sendBytes(Buffer.from(JSON.stringify(session)));
    return { status, body };
  }
  return { send, sendBytes, reports };
}
