import type { Faults } from './faults.ts';

/** Where the app keeps things. */
export interface Store {
  readonly kind: 'file' | 'server';
  /** Its address, for who looks into it. */
  readonly url: string;
  /** Its address for each process. */
  readonly urlFor: (process: number) => string;
  /** Keeps the app from writing until the action is done. */
  readonly hold: (action: () => Promise<unknown>) => Promise<void>;
  /** Lets nothing that the app writes arrive until the action is done. */
  readonly cutOff: (action: () => Promise<unknown>) => Promise<void>;
  /** Loses what isn't on disk. Resolves when it works again. */
  readonly losePower: () => Promise<void>;
  /** What can befall it. */
  readonly faults: Faults;
  /** What can't befall it on this machine, and why. */
  readonly leftOut: readonly string[];
  /** Where it is on this machine. */
  readonly path: string;
  /** Ends it, and removes it unless somebody wants to look into it. */
  close(isKept: boolean): Promise<void>;
}
