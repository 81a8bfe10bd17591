import type { Agent } from '../cobrowse/schemas.ts';
import { lines } from '../messages/message.ts';
import type { Part } from '../messages/message.ts';
import { bold, short } from '../messages/text.ts';
import type { Line } from '../messages/text.ts';

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

/** Which agent the reader is, by which email, and the name customers see. */
export function whoYouAre(identity: Identity): readonly Part[] {
  switch (identity.is) {
    case 'agent':
      return [lines(['Connected as ', bold(agentName(identity.agent)), ` (${short(identity.email)})`])];
    case 'unknown':
      return [
        lines(
          ['No co-browsing agent has your email, ', bold(short(identity.email)), '.'],
          ['You can still watch; customers see your Slack name', ...nameOf(identity), '.'],
          ['To connect your account, use the same email in both.'],
        ),
      ];
    case 'without-email':
      return [
        lines(
          ['Your Slack profile doesn’t show this app your email, so it can’t find your account.'],
          ['You can still watch; customers see your Slack name', ...nameOf(identity), '.'],
        ),
      ];
    case 'not-asked':
      return [lines(['Customers see your Slack name', ...nameOf(identity), '.'])];
    case 'no-profile':
      return [lines(['The app couldn’t read your Slack profile. Press Refresh in a minute to try again.'])];
  }
}

function nameOf({ slackName }: { readonly slackName: string }): Line {
  const name = short(slackName);
  return name === '' ? [] : [', ', bold(name)];
}
