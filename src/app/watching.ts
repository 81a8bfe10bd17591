import { randomUUID } from 'node:crypto';
import type { Services } from '../commands/services.ts';
import type { SessionEndGrant } from '../grants/grant.ts';
import { powersUpTo } from '../grants/power.ts';
import { usualPowerIn } from '../grants/settings.ts';
import type { SettingsBook } from '../grants/settings.ts';
import type { Route } from '../http/routes.ts';
import { reportWatch } from '../reports.ts';
import type { People } from '../slack/people.ts';
import { createMint } from '../watch/mint.ts';
import type { AgentIdentity, Mint } from '../watch/mint.ts';
import { createWatchRoute, ticketIsProof } from '../watch/route.ts';
import { tellsOfEnds } from './ground.ts';
import type { Ground } from './ground.ts';

/** How long a Watch button may be pressed after it was drawn. */
const WATCH_TICKET_MS = 30 * 60 * 1_000;
/** How long after the press the service may still tell of the session's end. */
const SESSION_END_TICKET_MS = 7 * 24 * 60 * 60 * 1_000;

type Watching = Pick<Services, 'visitorTools' | 'pressTarget' | 'startOptions' | 'linkAtPress'> & {
  readonly route: Route;
};

interface WatchingParts {
  readonly ground: Ground;
  readonly people: People;
  readonly settings: SettingsBook;
  readonly issued: (grant: SessionEndGrant, agent: AgentIdentity) => void;
}

function joinMint({ ground, people, settings, issued }: WatchingParts): Mint {
  const { config, cobrowse, sessionEndTickets } = ground;
  const { publicUrl } = config;
  return createMint({
    cobrowse,
    agentFor: (workspaceId, userId) => people.agentFor(workspaceId, userId),
    mostPower: async (workspaceId) => (await settings.of(workspaceId)).mostPower,
    sessionEndUrl: (grant) =>
      publicUrl === undefined
        ? undefined
        : `${publicUrl}/webhooks/session-end/${sessionEndTickets.issue(grant, SESSION_END_TICKET_MS)}`,
    newGrantId: randomUUID,
    issued,
  });
}

/** From the Watch button to the link: by an address of ours, or at the press where we have no public one. */
export function joinWatching(parts: WatchingParts): Watching {
  const { ground, settings } = parts;
  const { config, cobrowse, watchTickets, log, metrics } = ground;
  const { publicUrl } = config;
  const mint = joinMint(parts);
  const report = reportWatch(log, metrics);
  const route = createWatchRoute({ tickets: watchTickets, mint, proof: ticketIsProof, report });

  const pressTarget: Services['pressTarget'] = (press, caller) => {
    const value = JSON.stringify(press);
    if (publicUrl === undefined) return { value };
    return {
      value,
      url: `${publicUrl}/watch/${watchTickets.issue({ ...caller, ...press }, WATCH_TICKET_MS)}`,
    };
  };

  const visitorTools: Services['visitorTools'] = async (caller) => {
    const book = await settings.of(caller.workspaceId);
    return {
      canStop: cobrowse.offers.stopSession,
      targetsOf: (visitorId) => ({
        usual: pressTarget({ visitorId, power: usualPowerIn(book, caller.channelId) }, caller),
        choices: powersUpTo(book.mostPower).map((power) => ({
          power,
          target: pressTarget({ visitorId, power }, caller),
        })),
      }),
    };
  };

  const linkAtPress: Services['linkAtPress'] = async (press, caller) => {
    const grant = { ...caller, ...press };
    const link = await mint(grant);
    report('redirected', grant);
    return link;
  };
  const startOptions: Services['startOptions'] = async (workspaceId) => {
    const book = await settings.of(workspaceId);
    const powers = powersUpTo(book.mostPower);
    const usual = usualPowerIn(book, undefined);
    if (!tellsOfEnds(ground)) return { powers, usual, summariesTo: 'nowhere' };
    return { powers, usual, summariesTo: config.summaryChannel === undefined ? 'person' : 'channel' };
  };
  return {
    route,
    visitorTools,
    pressTarget,
    startOptions,
    linkAtPress: publicUrl === undefined ? linkAtPress : undefined,
  };
}
