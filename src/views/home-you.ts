import type { Agent } from '../cobrowse/schemas.ts';
import { lines } from './message.ts';
import type { Part } from './message.ts';
import { bold } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { short } from './text.ts';

/** Who a Slack user is to the service. `slackName` is what links carry where there is no agent. */
export type Identity =
  | { readonly is: 'agent'; readonly agent: Agent; readonly email: string }
  | { readonly is: 'unknown'; readonly email: string; readonly slackName: string }
  | { readonly is: 'without-email'; readonly slackName: string }
  /** The service cannot be asked for agents. */
  | { readonly is: 'not-asked'; readonly slackName: string }
  /** Slack did not show the profile. */
  | { readonly is: 'no-profile' };

function agentName({ name, agent_nickname, email, id }: Agent): string {
  const names = [name, agent_nickname, email].map((text) => short(text ?? ''));
  return names.find((text) => text !== '') ?? `agent ${short(id, 60)}`;
}

/** Who the reader is to the service, by which email, and what their links say. */
export function whoYouAre(identity: Identity): readonly Part[] {
  switch (identity.is) {
    case 'agent':
      return [
        lines([
          'To the co-browsing service you are ',
          bold(agentName(identity.agent)),
          ', by your email ',
          short(identity.email),
          '.',
        ]),
      ];
    case 'unknown':
      return [
        lines(
          ['The co-browsing service knows no agent by your email ', bold(short(identity.email)), '.'],
          ['You can watch all the same: your links carry your Slack name', ...nameOf(identity), '.'],
          ['To use your account there, have the same email in both.'],
        ),
      ];
    case 'without-email':
      return [
        lines(
          ['Your Slack profile shows this app no email, so it cannot look for your account.'],
          ['You can watch all the same: your links carry your Slack name', ...nameOf(identity), '.'],
        ),
      ];
    case 'not-asked':
      return [lines(['Your links carry your Slack name', ...nameOf(identity), '.'])];
    case 'no-profile':
      return [
        lines(['Slack did not tell the app who you are just now. Press Refresh in a minute to try again.']),
      ];
  }
}

function nameOf({ slackName }: { readonly slackName: string }): Line {
  const name = short(slackName);
  return name === '' ? [] : [', ', bold(name)];
}
