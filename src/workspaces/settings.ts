import { z } from 'zod';
import { recorded, type Audit } from '../audit/audit.ts';
import { jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import { Access, lesser, ACTS, Rule, type Act, type Rules } from '../permissions/permissions.ts';

/** A rule that can't be read names no one, so it's admins only. */
const StoredRule = Rule.catch({ members: false, ids: [] });

/** A field that can't be read gets its default. */
export const WorkspaceSettings = z.object({
  maxAccess: Access.catch('full').default('full'),
  /** The access Watch gives in channels without an override. */
  defaultAccess: Access.catch('full').default('full'),
  channelAccess: z.record(z.string(), Access).catch({}).default({}),
  /** The channel for summaries that have no channel themselves, where admins set one. */
  summaryChannel: z.string().optional().catch(undefined),
  /** What the addresses of the helpdesk's tickets begin with, each with a slash at its end. */
  ticketPrefixes: z.array(z.string()).catch([]).default([]),
  /** Where customers' records are in other systems: of each its name and its template, as commands/record-links.ts reads them. */
  recordLinks: z.array(z.string()).catch([]).default([]),
  /** Whether files of sessions have customers' names and emails. */
  namesInFiles: z.boolean().catch(false).default(false),
  slackbot: z.boolean().catch(false).default(false),
  /** Who can do what; for anything without a rule here, the app's configuration decides. */
  rules: z.partialRecord(z.enum(ACTS), StoredRule).default({}),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export type SettingsNow = Omit<WorkspaceSettings, 'rules'> & { readonly rules: Rules };

/** The access Watch gives in a channel: its override, otherwise the workspace's default, never above the maximum. */
export function defaultAccessIn(settings: WorkspaceSettings, channelId: string | undefined): Access {
  const { channelAccess } = settings;
  const isNamed = channelId !== undefined && Object.hasOwn(channelAccess, channelId);
  const override = isNamed ? channelAccess[channelId] : undefined;
  return lesser(override ?? settings.defaultAccess, settings.maxAccess);
}

export const rulesIn = ({ rules }: Pick<WorkspaceSettings, 'rules'>, usual: Rules): Rules => ({
  ...usual,
  ...rules,
});

export const settingOf = (act: Act): string => `may-${act}`;

/** A workspace has a handful, plus one for each channel with an access override. */
const MOST_SETTINGS = 2_000;
const CHANNEL = 'channelAccess:';

export const channelSetting = (channelId: string): string => `${CHANNEL}${channelId}`;

/** An empty `userId` means the app itself. */
export interface Changer {
  readonly workspaceId: string;
  readonly userId: string;
}

/** One that has never been set has version 0. */
interface KeptSetting {
  /** Parsed JSON; null if it was set and then reset. */
  readonly value: unknown;
  readonly version: number;
  readonly changedBy: string;
}

export interface SettingChange {
  readonly name: string;
  /** Null means back to the default. */
  readonly value: unknown;
  /** The version that the person saw: only that one is changed. */
  readonly version: number;
  /** What the audit says about it; undefined if nothing really changes. */
  readonly recorded?: { readonly setting: string; readonly from: unknown; readonly to: unknown };
}

export interface KeptSettings {
  readonly settings: WorkspaceSettings;
  readonly kept: (name: string) => KeptSetting;
}

const Row = rowOf({ name: z.string(), value: z.string(), version: z.number(), changedBy: z.string() });

const NEVER_SET: KeptSetting = { value: null, version: 0, changedBy: '' };

/** A setting's value as it's stored, in a statement that asks for more; NULL if it has never been set. */
export const settingText = (workspaceId: string, name: string): Sql =>
  sql`(SELECT value FROM settings WHERE workspace_id = ${workspaceId} AND name = ${name})`;

export function settingsFrom(texts: ReadonlyMap<string, string | null>): WorkspaceSettings {
  const valueOf = (name: string): unknown => JSON.parse(texts.get(name) ?? 'null') ?? undefined;
  const channels = [...texts.keys()].filter((name) => name.startsWith(CHANNEL));
  const set = (names: readonly (readonly [key: string, name: string])[]) =>
    Object.fromEntries(
      names.map(([key, name]) => [key, valueOf(name)]).filter(([, value]) => value !== undefined),
    );
  return WorkspaceSettings.parse({
    ...set(Object.keys(WorkspaceSettings.shape).map((name) => [name, name])),
    channelAccess: set(channels.map((name) => [name.slice(CHANNEL.length), name])),
    rules: set(ACTS.map((act) => [act, settingOf(act)])),
  });
}

function upsert({ workspaceId, userId }: Changer, { name, value, version }: SettingChange, now: number): Sql {
  const text = JSON.stringify(value);
  if (version === 0) {
    return sql`INSERT INTO settings (workspace_id, name, value, version, changed_by, changed_at)
      VALUES (${workspaceId}, ${name}, ${text}, 1, ${userId}, ${now}) ON CONFLICT DO NOTHING`;
  }
  return sql`UPDATE settings SET value = ${text}, version = version + 1, changed_by = ${userId}, changed_at = ${now}
    WHERE workspace_id = ${workspaceId} AND name = ${name} AND version = ${version}`;
}

export interface SettingsParts {
  readonly database: Pick<Database, 'read' | 'writeIf'>;
  readonly prepare: Audit['prepare'];
  readonly now: () => number;
}

/** A row for each setting, so that changes of different ones never collide. */
export function createSettingsRepository({ database, prepare, now }: SettingsParts) {
  async function read(workspaceId: string): Promise<KeptSettings> {
    // Channel overrides come last: there may be many.
    const rows = await database.read(
      sql`SELECT name, value, version, changed_by FROM settings WHERE workspace_id = ${workspaceId}
        ORDER BY name DESC LIMIT ${MOST_SETTINGS}`,
      Row,
    );
    const kept = new Map(rows.map((row) => [row.name, { ...row, value: JSON.parse(row.value) }]));
    return {
      settings: settingsFrom(new Map(rows.map(({ name, value }) => [name, value]))),
      kept: (name) => kept.get(name) ?? NEVER_SET,
    };
  }

  return {
    read,
    of: async (workspaceId: string) => (await read(workspaceId)).settings,

    /** Records it in the audit, too: both or neither. If somebody changed it in the meantime, neither, and `by` is who. */
    change: async (by: Changer, change: SettingChange) => {
      const write = (...more: readonly Sql[]) =>
        database.writeIf(upsert(by, change, Math.round(now())), ...more);
      const { workspaceId, userId } = by;
      const { setting, from, to } = change.recorded ?? {};
      const detail = setting !== undefined && { setting, from: JSON.stringify(from), to: JSON.stringify(to) };
      const entry = detail && prepare({ workspaceId, userId, action: 'setting', outcome: 'done', detail });
      const written = await (entry ? recorded(entry, write) : write());
      return written === undefined
        ? { by: (await read(workspaceId)).kept(change.name).changedBy }
        : 'changed';
    },
  };
}
export type SettingsRepository = ReturnType<typeof createSettingsRepository>;

const changeOf = <Name extends string, Value>(setting: Name, value: z.ZodType<Value>) =>
  z.object({ setting: z.literal(setting), from: jsonOf(value), to: jsonOf(value) });

const RecordedChange = z.union([
  changeOf('maxAccess', Access),
  changeOf('defaultAccess', Access),
  changeOf('channelAccess', z.record(z.string(), Access)),
  changeOf('summaryChannel', z.string().nullable()),
  changeOf('ticketPrefixes', z.array(z.string())),
  changeOf('recordLinks', z.array(z.string())),
  changeOf('namesInFiles', z.boolean()),
  changeOf('slackbot', z.boolean()),
  changeOf('serviceAccount', z.object({ host: z.string() }).nullable()),
  ...ACTS.map((act) =>
    changeOf(settingOf(act), Rule).transform((change) => ({ ...change, setting: 'rule' as const, act })),
  ),
]);
export type RecordedChange = z.infer<typeof RecordedChange>;

/** @returns undefined for an entry of another kind, or of another version of the app */
export const readRecordedChange = (detail: unknown): RecordedChange | undefined =>
  RecordedChange.safeParse(detail).data;
