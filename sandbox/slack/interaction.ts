import type { AskMcp, Deliver } from './dispatch.ts';
import type { Events } from './events.ts';
import type { Homes } from './homes.ts';
import type { Installation } from './installation.ts';
import type { Manifest } from './manifest.ts';
import type { PressMarks } from './press-marks.ts';
import type { ResponseUrls } from './response-url.ts';
import type { Offers } from './suggestions.ts';
import type { Triggers } from './triggers.ts';
import type { ViewStacks } from './view-stacks.ts';
import type { Sent } from './web-api.ts';
import type { World } from './world.ts';

/** What the things people do (commands, presses, modals) need. */
export interface Interaction {
  readonly world: World;
  readonly manifest: Manifest;
  readonly installation: Installation;
  readonly views: ViewStacks;
  readonly homes: Homes;
  readonly marks: PressMarks;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly offers: Offers;
  readonly deliver: Deliver;
  readonly askMcp: AskMcp;
  readonly events: Events;
  /** Whether the app is connected by Socket Mode. */
  readonly isOverSocket: () => boolean;
  /** Records something the app sent that Slack would refuse. */
  readonly record: (sent: Sent) => void;
}

/** Whether Slack's client let a person do something; what the app then did shows in the snapshot. */
export type Outcome = { readonly ok: true } | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly error: string;
}

export const done: Outcome = { ok: true };

export const refused = (error: string): Refusal => ({ ok: false, error });

/** A message from Slackbot to one person. */
export const sayAsSlackbot = (
  world: World,
  to: { readonly channel: string; readonly user: string; readonly threadTs?: string | undefined },
  text: string,
): void => {
  world.post({
    channel: to.channel,
    user: 'USLACKBOT',
    text,
    threadTs: to.threadTs,
    visibleTo: to.user,
    fromSlack: true,
  });
};
