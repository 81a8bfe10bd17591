import { LRUCache } from 'lru-cache';
import type { CobrowseSettings } from '../cobrowse/client.ts';
import { createLastRead } from '../database/last-read.ts';
import type { Log } from '../logging/log.ts';
import type { Install, Installs } from './installs.ts';
import type { OwnAccount, ServiceAccounts } from './service-accounts.ts';
import type { Makers, Service, Workspace, WorkspaceDefaults, WorkspaceFinder } from './workspaces.ts';

/** A change in another process is noticed within this time even if its hint was lost. */
const READ_AGAIN_MS = 5_000;
/** Who was active lately; the others are read again when they act. */
const MOST_KNOWN = 1_000;

/** A workspace as it was read, by the clock that nobody sets. */
interface Known {
  readonly workspace: Workspace;
  /** Of the installation and of the account. */
  readonly version: string;
  /** Whether the app was taken for removed. */
  readonly isGone: boolean;
  readonly readAt: number;
}

/** The workspaces that installed the app, as their rows have it. Slack isn't asked about any. */
export function fromInstalls(
  {
    installs,
    accounts,
    allowed,
    apiUrl,
    cobrowse,
    rules,
    summaryChannel,
    log,
    elapsed,
  }: WorkspaceDefaults & {
    readonly installs: Installs;
    readonly accounts: Pick<ServiceAccounts, 'of'>;
    /** The workspaces that the operator's account serves while they have none of their own. */
    readonly allowed: readonly string[];
    readonly apiUrl: string;
    /** The operator's account. */
    readonly cobrowse: CobrowseSettings;
    readonly log: Log;
    /** Milliseconds from any moment on: nobody sets this clock. */
    readonly elapsed: () => number;
  },
  { clientOf, serviceOf, ownServiceOf, workspaceOf }: Makers,
): WorkspaceFinder {
  const defaults = { rules, summaryChannel };
  const operators = serviceOf(cobrowse, 'operator');
  const none = serviceOf({ wireNames: cobrowse.wireNames, cloud: undefined, onPremise: undefined });
  const rowsOf = createLastRead({
    async read(workspaceId) {
      const install = await installs.of(workspaceId);
      return install && { install, own: await accounts.of(workspaceId, install.dataKey) };
    },
    elapsed,
  });
  const known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  let changes = 0;

  function serviceFor(workspaceId: string, { account }: OwnAccount): Service {
    if (account !== undefined) return ownServiceOf(workspaceId, account, cobrowse.wireNames);
    return allowed.includes(workspaceId) ? operators : none;
  }

  function reached(
    { workspaceId: id, installId, botId, botUserId, botToken, url }: Install,
    own: OwnAccount,
  ): Workspace {
    const service = serviceFor(id, own);
    const installation = { workspaceId: id, botId, botUserId, url };
    // Without a token Slack answers `not_authed`, and everything waits as it does where one is refused.
    const slack = clientOf(botToken?.reveal(), apiUrl, { installId, refused: () => installs.refused(id) });
    return workspaceOf({ id, installId, slack, installedAs: async () => installation, service, defaults });
  }

  /** Undefined where the app was never installed, or everything of it is being removed. */
  async function read(workspaceId: string): Promise<Known | undefined> {
    const last = known.get(workspaceId);
    const [readAt, before] = [elapsed(), changes];
    if (last !== undefined && readAt - last.readAt < READ_AGAIN_MS) return last;
    const rows = await rowsOf(workspaceId, '');
    if (rows === undefined) {
      known.delete(workspaceId);
      return undefined;
    }
    const { install, own } = rows;
    const version = `${install.version} ${own.version}`;
    const workspace = last?.version === version ? last.workspace : reached(install, own);
    const now: Known = { workspace, version, isGone: install.goneAt !== undefined, readAt };
    // What was read before a change is asked for again.
    if (changes === before) known.set(workspaceId, now);
    return now;
  }

  return {
    async find(workspaceId) {
      const found = await read(workspaceId);
      return found?.isGone === false ? found.workspace : undefined;
    },
    async isOwn({ workspaceId, installId }) {
      const found = await read(workspaceId);
      return found !== undefined && (installId === undefined || installId === found.workspace.installId);
    },
    clientToAsk: async (workspaceId) => (await read(workspaceId))?.workspace.slack,
    async check() {
      for (const missing of await installs.missingKeys())
        log.error(missing, 'SECRET_KEYS lacks a key that workspaces need: they wait until it’s there again');
    },
    close: installs.onChange((workspaceId) => {
      changes += 1;
      const last = known.get(workspaceId);
      if (last !== undefined) known.set(workspaceId, { ...last, readAt: -Infinity });
      // Now, so that nothing of one that was removed for good stays in memory.
      read(workspaceId).catch(() => undefined);
    }),
  };
}
