import type { Deliver } from './dispatch.ts';
import type { Manifest } from './manifest.ts';
import type { PressMarks } from './press-marks.ts';
import type { ResponseUrls } from './response-url.ts';
import type { Triggers } from './triggers.ts';
import type { ViewStacks } from './view-stacks.ts';
import type { World } from './world.ts';

/** What the things people do (commands, presses, modals) work with. */
export interface Interaction {
  readonly world: World;
  readonly manifest: Manifest;
  readonly views: ViewStacks;
  readonly marks: PressMarks;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly deliver: Deliver;
}

/** Whether Slack's client let a person do something; what the app then made of it shows in the snapshot. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: string };

export const done: Outcome = { ok: true };

export const refused = (error: string): Outcome => ({ ok: false, error });

/** Slackbot's words to one person. */
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
