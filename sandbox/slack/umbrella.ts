import { acme, type Seed } from './seed.ts';

/**
 * The second workspace of a sandbox with two. Its people and channels have the same ids as the first one's, so that only
 * the workspace tells them apart.
 */
export const umbrella: Seed = {
  ...acme,
  workspace: { id: 'T0UMBRELLA0', name: 'Umbrella', domain: 'umbrella' },
  others: [],
  users: acme.users
    .filter(({ teamId }) => teamId === undefined)
    .map(({ email, ...user }) =>
      email === undefined ? user : { ...user, email: email.replace('acme.com', 'umbrella.example') },
    ),
  channels: acme.channels.filter(({ sharedWith }) => sharedWith === undefined),
  messages: [
    {
      channel: 'C0SUPPORT01',
      user: 'U0HELPDESK',
      text: 'New message from <mailto:liam.obrien@globex.example|liam.obrien@globex.example>: the garden chair never gets into my cart.',
      minutesAgo: 5,
    },
  ],
};
