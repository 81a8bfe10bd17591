import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { MayAct } from '../grants/acts.ts';
import type { PressGrant } from '../grants/grant.ts';
import type { WatchLinks } from '../grants/watch-links.ts';
import type { SettingsRepository } from '../grants/settings-repository.ts';
import type { Route } from '../http/routes.ts';
import { reportWatch } from '../reports.ts';
import { createPrivateMessage } from '../slack/private-message.ts';
import { createTickets } from '../tickets/tickets.ts';
import { linkHereInstead, linkHereOffer } from '../views/link-here.ts';
import type { Message } from '../views/message.ts';
import { proxyLine } from '../views/proxy.ts';
import { bold } from '../views/rich-text.ts';
import { whoLine } from '../views/visitor-pieces.ts';
import type { Agents } from '../watch/agents.ts';
import { createAtPress } from '../watch/at-press.ts';
import type { AtPress } from '../watch/at-press.ts';
import { JoinGrant, createGive } from '../watch/give.ts';
import { createJoinRoute } from '../watch/join-route.ts';
import { createJudge } from '../watch/judge.ts';
import { createMint } from '../watch/mint.ts';
import type { Mint, PutOnRecord } from '../watch/mint.ts';
import { createOthersLink } from '../watch/others.ts';
import { createPresses, isLate } from '../watch/presses.ts';
import { HELD_MS, pressIsProof, ticketIsProof } from '../watch/proof.ts';
import { createWatchRoute } from '../watch/route.ts';
import { createSendOffer } from '../watch/send-offer.ts';
import { createSendRoute } from '../watch/send-route.ts';
import { createTicketUses } from '../watch/ticket-uses.ts';
import type { Ground } from './ground.ts';

/** How long after the press the service may still tell of the session's end. */
const SESSION_END_TICKET_MS = 7 * 24 * 60 * 60 * 1_000;

export interface GivingParts {
  readonly ground: Ground;
  readonly agents: Agents;
  readonly settings: SettingsRepository;
  readonly links: Pick<WatchLinks, 'inUse'>;
  readonly mayAct: MayAct;
  /** How long a page is held for its press each time, milliseconds; the usual where not given. */
  readonly heldMs: number | undefined;
  readonly putOnRecord: PutOnRecord;
}

export interface Giving {
  readonly routes: readonly Route[];
  readonly atPress: AtPress;
  /** Lets go of pages that wait for their press: the rest of a stop waits for them. */
  readonly stop: () => void;
}

function joinMint({ ground, agents, settings, putOnRecord }: GivingParts): Mint {
  const { config, cobrowse, sessionEndTickets, audit } = ground;
  const { publicUrl } = config;
  return createMint({
    cobrowse,
    agentOf: (workspaceId, userId) => agents.agentOf(workspaceId, userId),
    mostPower: async (workspaceId) => (await settings.of(workspaceId)).mostPower,
    sessionEndUrl: (grant) =>
      publicUrl === undefined
        ? undefined
        : `${publicUrl}/webhooks/session-end/${sessionEndTickets.issue(grant, SESSION_END_TICKET_MS)}`,
    newGrantId: randomUUID,
    audit,
    putOnRecord,
  });
}

const isPlain = (address: string | undefined) => URL.parse(address ?? '')?.protocol === 'http:';

/**
 * Where a link may lead, for the policy of a page whose form redirects there: browsers hold redirects of a form to it.
 * Plain http only where the links themselves may be: those of a service that was set up so.
 */
function linkSources({ config: { cobrowse } }: Ground): string {
  const plain = isPlain(cobrowse.cloud?.baseUrl) || isPlain(cobrowse.onPremise?.baseEndpoint);
  return plain ? "'self' https: http:" : "'self' https:";
}

/** What the message says that brings the link to the one who pressed where Slack did not tell of it. */
function createOffer({ cobrowse }: Ground) {
  return async function offer(grant: PressGrant, value: string, isPressed: boolean): Promise<Message> {
    const words = isPressed ? linkHereInstead : linkHereOffer;
    if ('proxy' in grant) return words(proxyLine(grant.proxy), 'proxy', value);
    const visitor = await cobrowse.visitor(grant.visitorId).catch(() => undefined);
    const about = visitor === undefined ? ['visitor ', bold(grant.visitorId)] : whoLine(visitor);
    return words(about, 'watch', value);
  };
}

/** What gives links: the address of a button with the press that proves it, or the press itself. */
export function joinGiving(parts: GivingParts): Giving {
  const { ground, agents, links, mayAct, heldMs } = parts;
  const { config, now, log, metrics, audit, slack, watchTickets } = ground;
  const mint = joinMint(parts);
  const report = reportWatch(log, metrics);
  const warn = (words: string) => (error: unknown) => log.warn({ err: error }, words);
  const presses = createPresses({ database: ground.momentary.database, now });
  const judge = createJudge({ mayAct, audit, report: warn('Slack could not be asked who may watch') });
  const othersLink = createOthersLink(links, now);
  const joinTickets = createTickets(config.secretKeys, now)('join', JoinGrant);
  const give = createGive({
    mint,
    othersLink,
    joinTickets,
    nameOf: (workspaceId, userId) => agents.nameOf(workspaceId, userId),
    linkSources: linkSources(ground),
    now,
    newId: randomUUID,
    report,
  });
  const isPress = config.watchProof === 'press';
  const proof = isPress ? pressIsProof(presses, heldMs) : ticketIsProof(judge);
  const uses = createTicketUses(ground.database, now);
  async function recordWorn(grant: PressGrant): Promise<void> {
    const { workspaceId, userId, channelId } = grant;
    const what = 'visitorId' in grant ? { visitorId: grant.visitorId } : {};
    const where = channelId === undefined ? {} : { channelId };
    const refusal = { action: 'refusal', outcome: 'address-worn', detail: { act: 'watch' } } as const;
    await audit.record({ workspaceId, userId, ...where, ...what, ...refusal });
  }
  const sendOffer = createSendOffer({
    showPrivately: createPrivateMessage(async () => slack, warn('Slack did not take a private message')),
    offer: createOffer(ground),
    report,
  });
  const send = createSendRoute({
    tickets: watchTickets,
    judge,
    uses,
    sendOffer,
    report,
  });
  return {
    routes: [
      createWatchRoute({ tickets: watchTickets, give, proof, uses, recordWorn, report }),
      send,
      createJoinRoute({ tickets: joinTickets, presses, judge, give }),
    ],
    atPress: createAtPress({
      judge,
      presses,
      mint,
      othersLink,
      pageJudges: !isPress,
      // In Socket Mode nobody stands in between who could hold a press back.
      isLate: (press) => config.slack.mode === 'http' && isLate(press, now(), ground.momentary.since),
      uses,
      // As long as a page waits, both times together.
      pageTime: () => wait(2 * (heldMs ?? HELD_MS)),
      sendOffer,
      given: (grant) => report('redirected', grant),
    }),
    stop: () => presses.stop(),
  };
}
