import { z } from 'zod';

import type { Granted } from './installation.ts';
import { type Interaction, type Outcome, done, refused } from './interaction.ts';
import { SlackError } from './slack-error.ts';
import { webMethod, type WebMethod } from './web-method.ts';
import type { World } from './world.ts';

/** How the app comes to a workspace by OAuth, and goes. */

type Parts = Pick<Interaction, 'world' | 'events' | 'installation'>;

/** What the app says to prove that it's itself. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The bot is in no channel until somebody invites it. @returns its token */
export const installApp = ({ world, installation }: Parts): Granted => {
  const granted = installation.install();
  // An organization has to give it to the workspace, too.
  if (world.workspace.organization === undefined)
    world.changePerson(world.app.botUser, { deactivated: false });
  return granted;
};

/** The organization that installed the app gives it to the workspace, or takes it away. */
export const changeAccess = ({ world, events }: Pick<Parts, 'world' | 'events'>, isGiven: boolean): void => {
  if (isGiven) world.changePerson(world.app.botUser, { deactivated: false });
  else takeOut(world);
  const type = isGiven ? 'team_access_granted' : 'team_access_revoked';
  events.send({ type, team_ids: [world.workspace.id], event_ts: world.nextTs() });
};

/** Takes the app out. It hears that, if its manifest subscribes to the two events. */
export const removeApp = ({ world, events, installation }: Parts): Outcome => {
  if (!installation.remove()) return refused('The app isn’t installed in this workspace.');
  takeOut(world);
  const bot = [world.app.botUser];
  events.send({ type: 'tokens_revoked', tokens: { oauth: [], bot }, event_ts: world.nextTs() });
  events.send({ type: 'app_uninstalled', event_ts: world.nextTs() });
  return done;
};

/** The bot of an app that isn't installed is in no channel, and nobody can invite it. */
export const takeOut = (world: World): void => {
  const { botUser } = world.app;
  for (const { id, kind, members } of world.channels())
    if (kind === 'channel')
      world.changeChannel(id, { members: members.filter((member) => member !== botUser) });
  world.changePerson(botUser, { deactivated: true });
};

export const ClientArguments = z.object({ client_id: z.string(), client_secret: z.string() });

/** @throws {SlackError} */
export const checkClient = (
  { clientId, clientSecret }: OAuthClient,
  args: z.output<typeof ClientArguments>,
): void => {
  if (args.client_id !== clientId) throw new SlackError('invalid_client_id');
  if (args.client_secret !== clientSecret) throw new SlackError('bad_client_secret');
};

export const uninstallMethod = (parts: Parts, client: OAuthClient): WebMethod =>
  webMethod([], ClientArguments, (args) => {
    checkClient(client, args);
    removeApp(parts);
    return {};
  });
