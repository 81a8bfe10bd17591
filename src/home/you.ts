import type { AgentKey, CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Agent, Session } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import type { PersonalZone } from '../messages/days.ts';
import { lines, type Part } from '../messages/message.ts';
import { bold, short, type Line } from '../messages/text.ts';
import { startedAt } from './my-day.ts';

/** Who a Slack user is to the service. `slackName` is what links carry without an agent. */
export type Identity =
  | { readonly is: 'agent'; readonly agent: Agent; readonly email: string }
  | { readonly is: 'unknown'; readonly email: string; readonly slackName: string }
  | { readonly is: 'without-email'; readonly slackName: string }
  /** The service can't be asked for agents. */
  | { readonly is: 'not-asked'; readonly slackName: string }
  /** Slack didn't show the profile. */
  | { readonly is: 'no-profile' };

function agentName({ name, agent_nickname, email, id }: Agent): string {
  const names = [name, agent_nickname, email].map((text) => short(text ?? ''));
  return names.find((text) => text !== '') ?? `agent ${short(id, 60)}`;
}

const stillWatching = (named: { readonly slackName: string }): Line => [
  'You can still watch; customers see your Slack name',
  ...nameOf(named),
  '.',
];

/** Which agent the reader is, by which email, and the name customers see. */
export function whoYouAre(identity: Identity, mayWatch: boolean): readonly Part[] {
  switch (identity.is) {
    case 'agent':
      return [lines(['Connected as ', bold(agentName(identity.agent)), ` (${short(identity.email)})`])];
    case 'unknown':
      return [
        lines(
          ['No co-browsing agent has your email, ', bold(short(identity.email)), '.'],
          ...(mayWatch ? [stillWatching(identity)] : []),
          ['To connect your account, use the same email in both.'],
        ),
      ];
    case 'without-email':
      return [
        lines(
          ['Your Slack profile doesn’t show this app your email, so it can’t find your account.'],
          ...(mayWatch ? [stillWatching(identity)] : []),
        ),
      ];
    case 'not-asked':
      return mayWatch ? [lines(['Customers see your Slack name', ...nameOf(identity), '.'])] : [];
    case 'no-profile':
      return [lines(['The app couldn’t read your Slack profile. Press Refresh in a minute to try again.'])];
  }
}

function nameOf({ slackName }: { readonly slackName: string }): Line {
  const name = short(slackName);
  return name === '' ? [] : [', ', bold(name)];
}

/** What Home needs from a Slack profile. */
export interface SlackProfile extends PersonalZone {
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly isAdmin: boolean;
}

/** Who the viewer is to the service, and their sessions of the day; undefined if the service can't be asked. */
interface OwnWork {
  readonly identity: Identity;
  readonly sessions: readonly Session[] | undefined;
}

/** Of all agents that a person is: several may list the same session. */
function sessionsSince(agents: readonly Agent[], start: Date): readonly Session[] {
  const different = new Map(agents.flatMap(({ sessions }) => sessions).map((one) => [one.id, one]));
  return [...different.values()].filter((session) => startedAt(session) >= start.getTime());
}

function identityOf(agent: Agent | undefined, who: SlackProfile | undefined, viewer: Viewer): Identity {
  if (who === undefined) return { is: 'no-profile' };
  const slackName = who.name ?? viewer.userId;
  if (who.email === undefined) return { is: 'without-email', slackName };
  return agent === undefined
    ? { is: 'unknown', email: who.email, slackName }
    : { is: 'agent', agent, email: who.email };
}

async function agentBy(
  { lookupAgent }: Pick<CobrowseClient, 'lookupAgent'>,
  key: AgentKey,
  since: Date,
): Promise<Agent | undefined> {
  try {
    return await lookupAgent(key, { sessions: { since, linkIds: new Set() } });
  } catch (error) {
    if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/**
 * Looks a viewer up by email and by the id that links carry without an account. Which of the two finds a session started
 * by a watch link isn't documented, so both are tried. Source: GET /agents/lookup.
 */
export function createLookUp({
  cobrowseOf,
  externalIdOf,
}: {
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'offers' | 'lookupAgent'>>;
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
}) {
  /** Rejects with a CobrowseError. @param start of the viewer's day */
  return async function lookUp(viewer: Viewer, who: SlackProfile | undefined, start: Date): Promise<OwnWork> {
    const cobrowse = await cobrowseOf(viewer.workspaceId);
    if (!cobrowse.offers.lookupAgent) {
      const slackName = who?.name ?? viewer.userId;
      return { identity: { is: 'not-asked', slackName }, sessions: undefined };
    }
    const externalId = externalIdOf(viewer.workspaceId, viewer.userId);
    const [agent, external] = await Promise.all([
      who?.email === undefined ? undefined : agentBy(cobrowse, { email: who.email }, start),
      agentBy(cobrowse, { externalId }, start),
    ]);
    const known = [agent, external].filter((one) => one !== undefined);
    return { identity: identityOf(agent, who, viewer), sessions: sessionsSince(known, start) };
  };
}
