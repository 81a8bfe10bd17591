import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';

/** A cloud service with something in it: at least one visitor of each kind. */
export interface ContractService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The online visitor is the only one a search for this email finds. */
  readonly online: { readonly id: string; readonly email: string };
  readonly offlineId: string;
  readonly unknownId: string;
  /** An account user with at least one session. */
  readonly agent: { readonly id: string; readonly email: string };
  /** Opens a watch link: its session runs. */
  open(link: string): Promise<void>;
  /** Makes the next session exceed the plan. */
  reachLimit(): Promise<void>;
  close(): Promise<void>;
}

/** What an account may have or not. */
export interface Account {
  readonly proxy: boolean;
}

export type Client = ReturnType<typeof createCloudClient>;

export const sam = { id: 'contract-sam', name: 'Sam' };

export function connect({ baseUrl, apiKey }: Pick<ContractService, 'baseUrl' | 'apiKey'>): Client {
  return createCloudClient({ baseUrl, apiKey, wireNames: defaultWireNames });
}
