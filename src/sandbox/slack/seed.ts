/** What a stand-in Slack begins with. */
export interface Seed {
  readonly workspace: { readonly id: string; readonly name: string; readonly domain: string };
  /** The app's own ids; `botUser` is one of `users`. */
  readonly app: { readonly id: string; readonly botUser: string };
  readonly users: readonly SeedUser[];
  readonly channels: readonly SeedChannel[];
  readonly messages: readonly SeedMessage[];
}

export interface SeedUser {
  readonly id: string;
  /** The handle, as typed after "@". */
  readonly name: string;
  readonly realName: string;
  /** Absent where an administrator hides addresses. */
  readonly email?: string;
  readonly guest?: boolean;
  readonly deactivated?: boolean;
  /** Set for a bot user. */
  readonly botId?: string;
}

interface SeedChannel {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly members: readonly string[];
}

interface SeedMessage {
  readonly channel: string;
  readonly user: string;
  /** In Slack's stored form: `&`, `<`, `>` escaped, links as `<https://..>` and `<mailto:..|..>`. */
  readonly text: string;
  readonly minutesAgo: number;
}

const alex = 'U0ALEX00001';
const sam = 'U0SAM000002';
const kim = 'U0KIM000003';
const guest = 'U0GUEST0004';
const app = 'U0COBROWSE';
const helpdesk = 'U0HELPDESK';
const support = 'C0SUPPORT01';
const sales = 'C0SALES0002';
const random = 'C0RANDOM003';
const people = [alex, sam, kim];

/** The workspace of the sandbox: a small support team and a helpdesk that relays what customers write. */
export const acme: Seed = {
  workspace: { id: 'T0ACME00000', name: 'Acme', domain: 'acme' },
  app: { id: 'A0COBROWSE', botUser: app },
  users: [
    { id: alex, name: 'alex', realName: 'Alex Rivera', email: 'alex@acme.com' },
    { id: sam, name: 'sam', realName: 'Sam Lee', email: 'sam@acme.com' },
    { id: kim, name: 'kim', realName: 'Kim Novak' },
    { id: guest, name: 'gil', realName: 'Gil Guest', email: 'gil@partner.example', guest: true },
    { id: app, name: 'cobrowse', realName: 'Co-browse', botId: 'B0COBROWSE' },
    { id: helpdesk, name: 'helpdesk', realName: 'Helpdesk', botId: 'B0HELPDESK' },
  ],
  channels: [
    {
      id: support,
      name: 'support',
      topic: 'Customers who need a hand',
      members: [...people, guest, app, helpdesk],
    },
    { id: sales, name: 'sales', topic: 'Deals and demos', members: people },
    { id: random, name: 'random', topic: 'Everything else', members: [...people, app] },
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
    { channel: random, user: alex, text: 'Cake in the kitchen.', minutesAgo: 180 },
  ],
};
