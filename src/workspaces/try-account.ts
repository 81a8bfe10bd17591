import type { Dispatcher } from 'undici';
import { createCobrowse, type CobrowseSettings } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { WireNames } from '../cobrowse/wire-names.ts';
import type { NewAccount, Reachable } from './service-accounts.ts';

/** What doesn't work with an account: with its service, or with the cloud beside an installation. */
export interface AccountProblem {
  readonly of: 'service' | 'cloud';
  readonly error: CobrowseError;
}

async function problemOf(
  of: AccountProblem['of'],
  asked: Promise<unknown>,
): Promise<readonly AccountProblem[]> {
  try {
    await asked;
    return [];
  } catch (error) {
    if (error instanceof CobrowseError) return [{ of, error }];
    throw error;
  }
}

/** Asks the services of an account for as little as possible, before it's connected. Never rejects with a CobrowseError. */
export function createTryAccount(wireNames: WireNames, agentOf: (workspaceId: string) => Dispatcher) {
  return async (workspaceId: string, account: NewAccount): Promise<readonly AccountProblem[]> => {
    const { kind, cloud } = account;
    const clientOf = (settings: CobrowseSettings) =>
      createCobrowse(settings, { dispatcher: agentOf(workspaceId), keyHolder: 'workspace' });
    const askCloud = ({ address: baseUrl, key }: Reachable) =>
      clientOf({ wireNames, cloud: { baseUrl, apiKey: key.reveal() }, onPremise: undefined }).usage();
    const askInstallation = ({ address: baseEndpoint, key }: Reachable) =>
      clientOf({
        wireNames,
        cloud: undefined,
        onPremise: { baseEndpoint, restKey: key.reveal(), connected: true },
      }).listVisitors({ limit: 1 });
    const found = await Promise.all([
      problemOf('service', kind === 'cloud' ? askCloud(account) : askInstallation(account)),
      cloud === undefined ? [] : problemOf('cloud', askCloud(cloud)),
    ]);
    return found.flat();
  };
}
