import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import { sql, type Database, type Sql } from '../database/database.ts';
import { Access, lesser } from '../permissions/access.ts';
import { ACTS, Rule, type Act, type Rules } from '../permissions/acts.ts';

/** A rule that can't be read names no one, so it's admins only. */
const StoredRule = Rule.catch({ members: false, ids: [] });

/** What a workspace's admins set in the App Home. A field that can't be read gets its default. */
export const WorkspaceSettings = z.object({
  /** The most access any link gives. */
  maxAccess: Access.catch('full').default('full'),
  /** The access Watch gives in channels without an override. */
  defaultAccess: Access.catch('full').default('full'),
  /** The access Watch gives in a channel, by its id. */
  channelAccess: z.record(z.string(), Access).catch({}).default({}),
  /** The channel for summaries that have no channel themselves, where admins set one. */
  summaryChannel: z.string().optional().catch(undefined),
  /** What the addresses of the helpdesk's tickets begin with, each with a slash at its end. */
  ticketPrefixes: z.array(z.string()).catch([]).default([]),
  /** Whether files of sessions have customers' names and emails. */
  namesInFiles: z.boolean().catch(false).default(false),
  /** Who can do what; for anything without a rule here, the app's configuration decides. */
  rules: z.partialRecord(z.enum(ACTS), StoredRule).default({}),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The settings, with the rule in force for each act. */
export type SettingsNow = Omit<WorkspaceSettings, 'rules'> & { readonly rules: Rules };

/** The access Watch gives in a channel: its override, otherwise the workspace's default, never above the maximum. */
export function defaultAccessIn(settings: WorkspaceSettings, channelId: string | undefined): Access {
  const { channelAccess } = settings;
  const isNamed = channelId !== undefined && Object.hasOwn(channelAccess, channelId);
  const override = isNamed ? channelAccess[channelId] : undefined;
  return lesser(override ?? settings.defaultAccess, settings.maxAccess);
}

/** Who can do what in a workspace: as its admins set it, otherwise as the app was configured. */
export function rulesIn({ rules }: Pick<WorkspaceSettings, 'rules'>, usual: Rules): Rules {
  return {
    watch: rules.watch ?? usual.watch,
    stop: rules.stop ?? usual.stop,
    delete: rules.delete ?? usual.delete,
    usage: rules.usage ?? usual.usage,
  };
}

/** The name under which the rule for an act is stored. */
export const settingOf = (act: Act): string => `may-${act}`;

/** A workspace has a handful, plus one for each channel with an access override. */
const MOST_SETTINGS = 2_000;
const CHANNEL = 'channelAccess:';

/** The name of a channel's access override. */
export const channelSetting = (channelId: string): string => `${CHANNEL}${channelId}`;

/** Who changes settings; an empty `userId` means the app itself. */
interface Changer {
  readonly workspaceId: string;
  readonly userId: string;
}

/** A stored setting. One that has never been set has version 0. */
interface KeptSetting {
  /** Parsed JSON; null if it was set and then reset. */
  readonly value: unknown;
  readonly version: number;
  readonly changedBy: string;
}

/** A change of one setting, in our own words and ids. */
export interface SettingChange {
  readonly name: string;
  /** The new value; null means back to the default. */
  readonly value: unknown;
  /** The version that the person saw: only that one is changed. */
  readonly version: number;
  /** What the audit says about it; undefined if nothing really changes. */
  readonly recorded?: { readonly setting: string; readonly from: unknown; readonly to: unknown };
}

/** `by` changed it in the meantime, so nothing of this change is kept. An empty `by` is the app itself. */
type Changed = 'changed' | { readonly by: string };

/** A workspace's settings, with what a form needs to know about each. */
export interface KeptSettings {
  readonly settings: WorkspaceSettings;
  readonly kept: (name: string) => KeptSetting;
}

/**
 * The settings of all workspaces, durable. Read each time, with a row for each setting, so that changes of different
 * ones never collide.
 */
export interface SettingsRepository {
  readonly of: (workspaceId: string) => Promise<WorkspaceSettings>;
  read(workspaceId: string): Promise<KeptSettings>;
  /** Changes one setting and records it in the audit: both or neither. */
  change(by: Changer, change: SettingChange): Promise<Changed>;
}

const Row = z.object({ name: z.string(), value: z.string(), version: z.number(), changed_by: z.string() });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An unreadable value means a rule for admins only, or the default of an access level.
    return {};
  }
}

const NEVER_SET: KeptSetting = { value: null, version: 0, changedBy: '' };

/** A setting's value as it's stored, in a statement that asks for more; NULL if it has never been set. */
export const settingText = (workspaceId: string, name: string): Sql =>
  sql`(SELECT value FROM settings WHERE workspace_id = ${workspaceId} AND name = ${name})`;

/** The settings with these values, by name, as they're stored. */
export function settingsFrom(texts: ReadonlyMap<string, string | null>): WorkspaceSettings {
  const values = new Map(Array.from(texts, ([name, text]) => [name, text === null ? null : parseJson(text)]));
  const valueOf = (name: string) => values.get(name) ?? undefined;
  const channels = [...values].flatMap(([name, value]) =>
    name.startsWith(CHANNEL) && value !== null ? [[name.slice(CHANNEL.length), value] as const] : [],
  );
  const rules = ACTS.flatMap((act) => {
    const value = valueOf(settingOf(act));
    return value === undefined ? [] : [[act, value] as const];
  });
  return WorkspaceSettings.parse({
    maxAccess: valueOf('maxAccess'),
    defaultAccess: valueOf('defaultAccess'),
    summaryChannel: valueOf('summaryChannel'),
    ticketPrefixes: valueOf('ticketPrefixes'),
    namesInFiles: valueOf('namesInFiles'),
    channelAccess: Object.fromEntries(channels),
    rules: Object.fromEntries(rules),
  });
}

/** Writes the setting if its version is still the one that was seen. */
function upsert({ workspaceId, userId }: Changer, { name, value, version }: SettingChange, now: number): Sql {
  const text = JSON.stringify(value);
  if (version === 0) {
    return sql`INSERT INTO settings (workspace_id, name, value, version, changed_by, changed_at)
      VALUES (${workspaceId}, ${name}, ${text}, 1, ${userId}, ${now}) ON CONFLICT DO NOTHING`;
  }
  return sql`UPDATE settings SET value = ${text}, version = version + 1, changed_by = ${userId}, changed_at = ${now}
    WHERE workspace_id = ${workspaceId} AND name = ${name} AND version = ${version}`;
}

/** @param now milliseconds since 1970 */
export function createSettingsRepository({
  database,
  prepare,
  now,
}: {
  readonly database: Pick<Database, 'read' | 'writeIf'>;
  readonly prepare: Audit['prepare'];
  readonly now: () => number;
}): SettingsRepository {
  async function read(workspaceId: string): Promise<KeptSettings> {
    // Channel overrides come last: there may be many.
    const rows = await database.read(
      sql`SELECT name, value, version, changed_by FROM settings WHERE workspace_id = ${workspaceId}
        ORDER BY name DESC LIMIT ${MOST_SETTINGS}`,
      Row,
    );
    const kept = new Map(rows.map((row) => [row.name, row]));
    return {
      settings: settingsFrom(new Map(rows.map(({ name, value }) => [name, value]))),
      kept(name) {
        const row = kept.get(name);
        if (row === undefined) return NEVER_SET;
        return { value: parseJson(row.value), version: row.version, changedBy: row.changed_by };
      },
    };
  }

  return {
    read,
    of: async (workspaceId) => (await read(workspaceId)).settings,

    async change(by, change) {
      const { name, recorded } = change;
      const { workspaceId, userId } = by;
      const detail = recorded && {
        setting: recorded.setting,
        from: JSON.stringify(recorded.from),
        to: JSON.stringify(recorded.to),
      };
      const entry = detail && prepare({ workspaceId, userId, action: 'setting', outcome: 'done', detail });
      const statements = entry === undefined ? [] : [entry.statement];
      const written = await database.writeIf(upsert(by, change, Math.round(now())), ...statements);
      if (written !== undefined) {
        entry?.report();
        return 'changed';
      }
      return { by: (await read(workspaceId)).kept(name).changedBy };
    },
  };
}

type Change<Value> = { readonly from: Value; readonly to: Value };

/** A change of a setting, read back from the audit. */
export type RecordedChange =
  | ({ readonly setting: 'rule'; readonly act: Act } & Change<Rule>)
  | ({ readonly setting: 'maxAccess' | 'defaultAccess' } & Change<Access>)
  | ({ readonly setting: 'channelAccess' } & Change<Readonly<Record<string, Access>>>)
  | ({ readonly setting: 'summaryChannel' } & Change<string | null>)
  | ({ readonly setting: 'ticketPrefixes' } & Change<readonly string[]>)
  | ({ readonly setting: 'namesInFiles' } & Change<boolean>)
  | ({ readonly setting: 'serviceAccount' } & Change<{ readonly host: string } | null>);

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('no JSON');
    return z.NEVER;
  }
});

const Recorded = z.object({ setting: z.string(), from: json, to: json });

const changeOf = <Value>(value: z.ZodType<Value>) => z.object({ from: value, to: value });
const RuleChange = changeOf(Rule);
const AccessChange = changeOf(Access);
const ChannelChange = changeOf(z.string().nullable());
const PrefixesChange = changeOf(z.array(z.string()));
const SwitchChange = changeOf(z.boolean());
const AccountChange = changeOf(z.object({ host: z.string() }).nullable());
const ChannelsChange = changeOf(z.record(z.string(), Access));

/** @returns undefined for an entry of another kind, or of another version of the app */
export function readRecordedChange(detail: unknown): RecordedChange | undefined {
  const { data } = Recorded.safeParse(detail);
  if (data === undefined) return undefined;
  const { setting } = data;
  if (setting === 'maxAccess' || setting === 'defaultAccess') {
    const accessLevels = AccessChange.safeParse(data).data;
    return accessLevels && { setting, ...accessLevels };
  }
  if (setting === 'channelAccess') {
    const channels = ChannelsChange.safeParse(data).data;
    return channels && { setting, ...channels };
  }
  if (setting === 'summaryChannel') {
    const channel = ChannelChange.safeParse(data).data;
    return channel && { setting, ...channel };
  }
  if (setting === 'ticketPrefixes') {
    const prefixes = PrefixesChange.safeParse(data).data;
    return prefixes && { setting, ...prefixes };
  }
  if (setting === 'namesInFiles') {
    const names = SwitchChange.safeParse(data).data;
    return names && { setting, ...names };
  }
  if (setting === 'serviceAccount') {
    const account = AccountChange.safeParse(data).data;
    return account && { setting, ...account };
  }
  const act = ACTS.find((one) => settingOf(one) === setting);
  const rules = RuleChange.safeParse(data).data;
  return act && rules && { setting: 'rule', act, ...rules };
}
