import { acme, type Seed } from './seed.ts';

/** What the sandbox proposes to type first: the code that Jane reads from her page. */
export const firstCommand = '/cobrowse 4821';

/** The workspace in which the page leads its user through the first steps: #support has one story, Jane's. */
export const guidedAcme: Seed = {
  ...acme,
  messages: [
    ...acme.messages.filter(({ channel }) => channel !== 'C0SUPPORT01'),
    {
      channel: 'C0SUPPORT01',
      user: 'U0HELPDESK',
      text: 'New message from <mailto:jane@acme.com|jane@acme.com>: I’m stuck at checkout, the Pay button does nothing.',
      minutesAgo: 3,
    },
    {
      channel: 'C0SUPPORT01',
      user: 'U0SAM000002',
      text: 'Jane is on the phone now. The code on her page is 4821. Who can look?',
      minutesAgo: 0,
    },
  ],
};
