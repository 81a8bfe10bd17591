import { acme } from '../../../sandbox/slack/seed.ts';
import type { Seed } from '../../../sandbox/slack/seed.ts';

const alex = 'U0ALEX00001';
export const firstSupport = 'C0SUPPORT01';

/** Each a #support with the same messages: one for each test that shares a page with others. */
export const supports = [
  firstSupport,
  ...Array.from({ length: 19 }, (_, at) => `C0SUPPORT${String(at + 2).padStart(2, '0')}`),
];

/** Alex joins the others when their turn comes, and sees only one at a time. */
const membersOf = (id: string, members: readonly string[]): readonly string[] =>
  id === firstSupport ? members : members.filter((member) => member !== alex);

/** The usual workspace, where #support has the others beside it, so that any of them is the first in a list. */
export const withSpareChannels: Seed = {
  ...acme,
  channels: acme.channels.flatMap((channel) =>
    channel.id === firstSupport
      ? supports.map((id) => ({ ...channel, id, members: membersOf(id, channel.members) }))
      : [channel],
  ),
  messages: acme.messages.flatMap((message) =>
    message.channel === firstSupport ? supports.map((channel) => ({ ...message, channel })) : [message],
  ),
};
