import type { FoundAgent, Offers } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema, UsageSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { WorkspaceSettings, rulesIn, type SettingsNow } from '../../src/workspaces/settings.ts';
import { createGather, type HomeSources } from '../../src/home/gather.ts';
import { createRecording } from '../../src/audit/recording.ts';
import type { NewEntry } from '../../src/audit/audit.ts';
import { tools } from './home-content.ts';

export const viewer = { workspaceId: 'T1', userId: 'U1' };
/** Ten in the morning in UTC. */
export const now = Date.parse('2026-03-04T10:00:00Z');
export const notFound = () => Promise.reject(new CobrowseError('not-found', 'no agent'));

export const profile = {
  name: 'Ana Lima',
  email: 'ana@acme.com',
  isAdmin: false,
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

/** What the Home needs of the service. */
export type HomeService = Awaited<ReturnType<HomeSources['cobrowseOf']>>;

export const cobrowse: HomeService = {
  offers: everything,
  listVisitors: async () => [],
  visitor: async (id) => visitor(id, { identities: [`Name of ${id}`] }),
  lookupAgent: notFound,
  usage: async () => UsageSchema.parse({}),
};

const nobody = { members: false, ids: [] };

/** The settings of a workspace that chose these. */
export function settingsWith(chosen: Partial<WorkspaceSettings>): SettingsNow {
  const settings = WorkspaceSettings.parse(chosen);
  const usual = { watch: nobody, stop: nobody, delete: nobody, usage: nobody };
  return { ...settings, rules: rulesIn(settings, usual) };
}

/** Sources where nothing is found and nothing fails, but for the changes. */
export function gatherWith(
  changes: Partial<Omit<HomeSources, 'cobrowseOf'>>,
  service: Partial<HomeService> = {},
) {
  const reported: unknown[] = [];
  const audit: NewEntry[] = [];
  const record = async (entry: NewEntry) => void audit.push(entry);
  const recording = createRecording({ record, announce: record, hashOf: (typed) => `#${typed}` });
  const gather = createGather({
    profileOf: async () => profile,
    externalIdOf: (workspaceId, userId) => `slack-${workspaceId}-${userId}`,
    visitorTools: async () => tools,
    partnersOf: async () => new Map(),
    mayAct: async () => ({ allowed: true }),
    record,
    recording,
    linksOf: async () => [],
    followUpsOf: async () => [],
    usedPerDay: async (_workspaceId, [_first, ...ends]) => ends.map(() => ({ used: 0, notAccepted: 0 })),
    settingsOf: async () => settingsWith({}),
    accountOf: undefined,
    missingScopesOf: async () => undefined,
    webhooksOf: async () => ({ addresses: [], at: now }),
    accessOf: async () => ({ inForce: 'full', most: 'full', isChosen: true }),
    deliveriesOf: async () => ({ waiting: 0, troubled: [], before: 0, more: 0 }),
    reportsEnds: async () => true,
    now: () => now,
    report: (error) => void reported.push(error),
    ...changes,
    cobrowseOf: async () => ({ ...cobrowse, ...service }),
  });
  return {
    /** Fails where there is nothing to see. */
    gather: async (who = viewer) => {
      const content = await gather(who);
      if (typeof content === 'string') throw new Error(`refused: ${content}`);
      return content;
    },
    refusal: () => gather(viewer),
    reported,
    audit,
  };
}
