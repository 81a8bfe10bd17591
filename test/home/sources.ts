import type { AccessNow } from '../../src/admin/access.ts';
import type { FoundAgent, Offers } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema, UsageSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { WorkspaceSettings, rulesIn, type SettingsNow } from '../../src/workspaces/settings.ts';
import { createRights } from '../../src/commands/rights.ts';
import { createView, type HomeApp, type HomeRooms, type HomeWorkspace } from '../../src/home/view.ts';
import { createRecording } from '../../src/audit/recording.ts';
import type { NewEntry } from '../../src/audit/audit.ts';
import { tools, words } from './home-content.ts';

export const viewer = { workspaceId: 'T1', userId: 'U1' };
/** Ten in the morning in UTC. */
export const now = Date.parse('2026-03-04T10:00:00Z');
export const notFound = () => Promise.reject(new CobrowseError('not-found', 'no agent'));

export const profile = {
  name: 'Ana Lima',
  email: 'ana@acme.com',
  isAdmin: false,
  isExternal: false,
  isGuest: false,
  isBot: false,
  isDeactivated: false,
  utcOffsetSeconds: 0,
};

export const everything: Offers = {
  usage: true,
  listVisitors: true,
  visitor: true,
  createWatchLink: true,
  stopSession: true,
  lookupAgent: true,
  deleteVisitor: true,
  deleteOfflineVisitors: true,
  createProxyLink: true,
  authorizeOnPremise: true,
  sessionEndWebhook: true,
  initialNotes: true,
  videoAudio: true,
  pageviews: true,
};

export const visitor = (id: string, more: object = {}) =>
  VisitorSchema.parse({ short_id: id, is_online: true, ...more });

/** An agent with sessions that began at these times. */
export const agent = (id: string, ...starts: readonly string[]): FoundAgent => ({
  ...AgentSchema.parse({
    id,
    name: `Agent ${id}`,
    sessions: starts.map((started_at) => ({ id: `at ${started_at}`, started_at })),
  }),
  sessionCount: starts.length,
});

type Service = HomeWorkspace['cobrowse'];

const nobody = { members: false, ids: [] };

/** The settings of a workspace that chose these. */
export function settingsWith(chosen: Partial<WorkspaceSettings>): SettingsNow {
  const settings = WorkspaceSettings.parse(chosen);
  const usual = { watch: nobody, stop: nobody, delete: nobody, usage: nobody };
  return { ...settings, rules: rulesIn(settings, usual) };
}

/** What a Home is made from, those of the service among it. */
interface Sources
  extends
    Pick<HomeApp, 'profileOf' | 'mayAct' | 'now'>,
    Pick<HomeRooms, 'visitorTools'>,
    Pick<HomeWorkspace, 'settings' | 'endSource'>,
    Service {
  readonly linksOf: HomeRooms['links']['of'];
  readonly usedPerDay: HomeRooms['links']['usedPerDay'];
  readonly access: AccessNow;
  readonly deliveriesOf: HomeRooms['admin']['deliveriesOf'];
}

/** Nothing is found and nothing fails. */
const usual: Sources = {
  offers: everything,
  listVisitors: async () => [],
  visitor: async (id) => visitor(id, { identities: [`Name of ${id}`] }),
  lookupAgent: notFound,
  usage: async () => UsageSchema.parse({}),
  profileOf: async () => profile,
  mayAct: async () => ({ allowed: true }),
  visitorTools: async () => tools,
  linksOf: async () => [],
  usedPerDay: async (_workspaceId, [_first, ...ends]) => ends.map(() => ({ used: 0, notAccepted: 0 })),
  settings: async () => settingsWith({}),
  access: { inForce: 'full', most: 'full', isChosen: true },
  deliveriesOf: async () => [],
  endSource: 'webhook',
  now: () => now,
};

/** A Home for whom nothing is found and nothing fails, but for the changes. */
export function homeOf(changes: Partial<Sources> = {}) {
  const all = { ...usual, ...changes };
  const { linksOf, usedPerDay, access, deliveriesOf, visitorTools } = all;
  const reported: unknown[] = [];
  const audit: NewEntry[] = [];
  const record = async (entry: NewEntry) => void audit.push(entry);
  const { recordRefusal } = createRights({ ...all, isAdmin: async () => false, record });
  const view = createView(
    {
      ...all,
      externalIdOf: (workspaceId, userId) => `slack-${workspaceId}-${userId}`,
      recordRefusal,
      recording: createRecording({ record, announce: record, hashOf: (typed) => `#${typed}` }),
      workspaceOf: async () => ({ ...all, cobrowse: all }),
    },
    {
      visitorTools,
      partnersOf: async () => new Map(),
      links: { of: linksOf, usedPerDay },
      followUps: { atHome: async () => [] },
      webhooks: { of: async () => ({ addresses: [], at: now }) },
      admin: {
        accessOf: async () => access,
        deliveriesOf,
        accountOf: undefined,
        missingScopesOf: async () => undefined,
      },
      report: (error) => void reported.push(error),
    },
  );
  return { draw: (who = viewer) => view(who), reported, audit };
}

/** What such a Home says. */
export const saidTo = async (changes: Partial<Sources>) => words(await homeOf(changes).draw());

/** The same as an admin sees it. */
export const adminsHome = (changes: Partial<Sources>, service: Partial<Service> = {}) =>
  homeOf({ profileOf: async () => ({ ...profile, isAdmin: true }), ...changes, ...service }).draw();
