import type { Finding } from '../views/findings.ts';

/** Checks one thing. Returns a failure as a finding where it can, instead of rejecting. */
export interface Check {
  readonly about: string;
  run(): Promise<readonly Finding[]>;
}

/** Longer than the time limits of the checks, and short enough for a person who waits. */
const PATIENCE_MS = 15_000;

function unforeseen(about: string, error: unknown): Finding {
  // Only the class: a message could repeat an address or a key.
  const name = error instanceof Error ? error.name : 'Error';
  return {
    about,
    state: 'failure',
    says: `This check failed (${name}).`,
    next: 'Check the app’s log, then try again.',
  };
}

/** Runs all checks at the same time. Never rejects, and ends even if a check doesn't. */
export async function examine(
  checks: readonly Check[],
  patienceMs: number = PATIENCE_MS,
): Promise<readonly Finding[]> {
  const late = ({ about }: Check): Finding => ({
    about,
    state: 'failure',
    says: 'No answer in time.',
    next: 'Try again. If this keeps happening, check the network between the app and the service.',
  });
  const found = await Promise.all(
    checks.map(async (check) => {
      let timer: NodeJS.Timeout | undefined;
      const timeOut = new Promise<readonly Finding[]>((resolve) => {
        timer = setTimeout(() => resolve([late(check)]), patienceMs);
      });
      const run = check.run().catch((error: unknown) => [unforeseen(check.about, error)]);
      return Promise.race([run, timeOut]).finally(() => clearTimeout(timer));
    }),
  );
  return found.flat();
}
