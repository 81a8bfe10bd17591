import { LRUCache } from 'lru-cache';
import type { CobrowseSettings } from '../cobrowse/client.ts';
import { createLastRead } from '../database/last-read.ts';
import type { Install, Installs } from './installs.ts';
import type { OwnAccount, ServiceAccounts } from './service-accounts.ts';
import type { Makers, Service, Workspace, WorkspaceDefaults, WorkspaceFinder } from './workspaces.ts';

/** A change in another process is noticed within this time even if its hint was lost. */
const READ_AGAIN_MS = 5_000;
/** Who was active lately; the others are read again when they act. */
const MOST_KNOWN = 1_000;

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
    elapsed,
  }: WorkspaceDefaults & {
    readonly installs: Installs;
    readonly accounts: Pick<ServiceAccounts, 'of'>;
    /** The workspaces that the operator's account serves while they have none of their own. */
    readonly allowed: readonly string[];
    readonly apiUrl: string;
    /** The operator's account. */
    readonly cobrowse: CobrowseSettings;
    /** Milliseconds from any moment on: nobody sets this clock. */
    readonly elapsed: () => number;
  },
  { clientOf, serviceOf, ownServiceOf, workspaceOf }: Makers,
): WorkspaceFinder {
  const defaults = { rules, summaryChannel };
  const operators = serviceOf(cobrowse);
  const none = serviceOf({ wireNames: cobrowse.wireNames, cloud: undefined, onPremise: undefined });
  const installOf = createLastRead({ read: (workspaceId) => installs.of(workspaceId), elapsed });
  const accountOf = createLastRead({ read: (workspaceId) => accounts.of(workspaceId), elapsed });
  const known = new LRUCache<
    string,
    { readonly workspace: Workspace; readonly version: string; readonly readAt: number }
  >({
    max: MOST_KNOWN,
  });

  let changes = 0;

  function serviceFor(workspaceId: string, { account }: OwnAccount): Service {
    if (account !== undefined) return ownServiceOf(account, cobrowse.wireNames);
    return allowed.includes(workspaceId) ? operators : none;
  }

  function reached({ workspaceId: id, botId, botUserId, botToken }: Install, own: OwnAccount): Workspace {
    const service = serviceFor(id, own);
    const installation = { workspaceId: id, botId, botUserId };
    // Without a token Slack answers `not_authed`, and everything waits as it does where one is refused.
    const slack = clientOf(botToken?.reveal(), apiUrl);
    return workspaceOf({ id, slack, installedAs: async () => installation, service, defaults });
  }

  return {
    async find(workspaceId) {
      const last = known.get(workspaceId);
      const [readAt, before] = [elapsed(), changes];
      if (last !== undefined && readAt - last.readAt < READ_AGAIN_MS) return last.workspace;
      const [install, own] = await Promise.all([installOf(workspaceId, ''), accountOf(workspaceId, '')]);
      if (install === undefined) {
        known.delete(workspaceId);
        return undefined;
      }
      const version = `${install.version} ${own.version}`;
      const workspace = last?.version === version ? last.workspace : reached(install, own);
      // What was read before a change is asked for again.
      if (changes === before) known.set(workspaceId, { workspace, version, readAt });
      return workspace;
    },
    check: async () => undefined,
    close: installs.onChange((workspaceId) => {
      changes += 1;
      known.delete(workspaceId);
    }),
  };
}
