/** The initial content of a stand-in Slack. */
export interface Seed {
  readonly workspace: SeedWorkspace;
  /** Organizations that share a channel with the workspace. */
  readonly others?: readonly SeedWorkspace[];
  /** The app's ids; `botUser` is one of `users`. */
  readonly app: { readonly id: string; readonly botUser: string };
  readonly users: readonly SeedUser[];
  readonly userGroups?: readonly SeedUserGroup[];
  readonly channels: readonly SeedChannel[];
  readonly messages: readonly SeedMessage[];
}

export interface SeedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** The Enterprise organization that it's part of, and which installs the app for its workspaces. */
  readonly organization?: { readonly id: string; readonly name: string };
}

export interface SeedUser {
  readonly id: string;
  /** The handle, as typed after "@". */
  readonly name: string;
  readonly realName: string;
  /** Absent if an administrator hides email addresses. */
  readonly email?: string;
  readonly admin?: boolean;
  /** `one-channel` for a guest of a single channel; `true` for a guest of several. */
  readonly guest?: boolean | 'one-channel';
  readonly deactivated?: boolean;
  /** A person whose client opens a button's address without telling Slack, as phones have been reported to do. */
  readonly losesLinkPresses?: boolean;
  /** A tz database name; default Europe/Amsterdam. */
  readonly tz?: string;
  /** In BCP 47; default en-US. */
  readonly locale?: string;
  /** Set for a bot user. */
  readonly botId?: string;
  /** Set for a person from another organization: the id of one of `others`. */
  readonly teamId?: string;
}

export interface SeedUserGroup {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
  readonly users: readonly string[];
}

interface SeedChannel {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly members: readonly string[];
  readonly isPrivate?: boolean;
  /** The other organization, for a channel of Slack Connect. */
  readonly sharedWith?: string;
}

interface SeedMessage {
  readonly channel: string;
  readonly user: string;
  /** In Slack's stored form: `&`, `<`, `>` escaped, links as `<https://..>` and `<mailto:..|..>`. */
  readonly text: string;
  readonly minutesAgo: number;
  readonly metadata?: unknown;
}

const alex = 'U0ALEX00001';
const sam = 'U0SAM000002';
const kim = 'U0KIM000003';
const guest = 'U0GUEST0004';
const app = 'U0COBROWSE';
const helpdesk = 'U0HELPDESK';
const ada = 'U0ADA000005';
const erin = 'U0ERIN00006';
const globex = 'T0GLOBEX000';
const support = 'C0SUPPORT01';
const sales = 'C0SALES0002';
const random = 'C0RANDOM003';
const shared = 'C0SHARED004';
const people = [alex, sam, kim, ada];

/** The sandbox's workspace: a small support team, and a helpdesk app that relays what customers write. */
export const acme: Seed = {
  workspace: { id: 'T0ACME00000', name: 'Acme', domain: 'acme' },
  others: [{ id: globex, name: 'Globex', domain: 'globex' }],
  app: { id: 'A0COBROWSE', botUser: app },
  users: [
    { id: alex, name: 'alex', realName: 'Alex Rivera', email: 'alex@acme.com' },
    { id: sam, name: 'sam', realName: 'Sam Lee', email: 'sam@acme.com' },
    { id: kim, name: 'kim', realName: 'Kim Novak' },
    { id: guest, name: 'gil', realName: 'Gil Guest', email: 'gil@partner.example', guest: true },
    { id: ada, name: 'ada', realName: 'Ada Admin', email: 'ada@acme.com', admin: true },
    { id: erin, name: 'erin', realName: 'Erin Globex', email: 'erin@globex.example', teamId: globex },
    { id: app, name: 'cobrowse', realName: 'Co-browse', botId: 'B0COBROWSE' },
    { id: helpdesk, name: 'helpdesk', realName: 'Helpdesk', botId: 'B0HELPDESK' },
  ],
  userGroups: [{ id: 'S0LEADS0001', name: 'Support leads', handle: 'support-leads', users: [sam] }],
  channels: [
    {
      id: support,
      name: 'support',
      topic: 'Customers who need a hand',
      members: [...people, guest, app, helpdesk],
    },
    { id: sales, name: 'sales', topic: 'Deals and demos', members: people },
    { id: random, name: 'random', topic: 'Everything else', members: [...people, app] },
    {
      id: shared,
      name: 'shared-acme-globex',
      topic: 'Acme and Globex together',
      members: [alex, sam, ada, erin, app],
      sharedWith: globex,
    },
  ],
  messages: [
    {
      channel: support,
      user: helpdesk,
      text: "New message from <mailto:jane@acme.com|jane@acme.com>: I'm stuck at checkout, the Pay button does nothing.",
      minutesAgo: 42,
    },
    {
      channel: support,
      user: helpdesk,
      text: 'Call on line 2: the customer reads lookup code 9034 from the page. Wants help with the cart.',
      minutesAgo: 31,
    },
    { channel: support, user: sam, text: 'I can take the call.', minutesAgo: 30 },
    {
      channel: support,
      user: helpdesk,
      text: 'New message from a visitor on <https://shop.acme.example/help/returns?order=1042&amp;step=2>: which box do I tick?',
      minutesAgo: 12,
    },
    {
      channel: sales,
      user: kim,
      text: 'Demo with <mailto:priya@vandelay.example|priya@vandelay.example> at three.',
      minutesAgo: 95,
    },
    {
      channel: shared,
      user: erin,
      text: 'Our new portal asks for the account number twice. Can you see it on your side?',
      minutesAgo: 55,
    },
    { channel: random, user: alex, text: 'Cake in the kitchen.', minutesAgo: 180 },
  ],
};
