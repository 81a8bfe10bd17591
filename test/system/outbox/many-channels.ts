import { acme } from '../../../sandbox/slack/seed.ts';
import { ALEX } from '../../support/person.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { idsSeenBy, issueSessionEndTicket } from '../../sessions/webhook-stage.ts';
import { SECRETS, type RealWorld } from './real-app.ts';

/** Twenty sessions, and a channel for each: within one channel, Slack's pace would make a test wait. */
export const twenty: readonly string[] = Array.from({ length: 20 }, (_, index) => `s${index}`);
export const channelOf = (name: string) => `C0${name.toUpperCase()}`;
export const manyChannels = {
  ...acme,
  channels: [
    ...acme.channels,
    ...twenty.map((name) => ({
      id: channelOf(name),
      name,
      topic: '',
      members: [ALEX, acme.app.botUser],
    })),
  ],
};

/** Tells of a session's end as the service does. @returns the status of the answer */
export async function tellOf(
  { publicUrl }: Pick<RealWorld, 'publicUrl'>,
  id: string,
  { channelId = alexInSupport.channelId ?? '', fields = {} } = {},
): Promise<number> {
  // A link for each session, since one link can report only a few.
  const link = { ...alexInSupport, channelId, linkId: `grant-${id}` };
  const ticket = issueSessionEndTicket(SECRETS.secretKeys, link);
  const response = await fetch(`${publicUrl}/webhooks/session-end/${ticket}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(endedSession(id, fields)),
  });
  await response.body?.cancel();
  return response.status;
}

/** Resolves when Alex sees the summary. */
export const summaryOf = ({ slack }: RealWorld, id: string) =>
  slack.until(ALEX, () => idsSeenBy(slack).includes(id));
