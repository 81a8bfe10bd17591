/** Fewer than would use up the hundred connections that a PostgreSQL server usually has, beside other files. */
const LANES = 4;

/**
 * Runs cases of one test beside each other: most of each is a wait. All of them come to their end.
 *
 * @returns what failed, by the case's name
 */
export async function failuresOf(
  cases: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<readonly string[]> {
  const left = Object.entries(cases);
  const failures: string[] = [];
  async function work(): Promise<void> {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, run] = next;
      await run().catch((error: unknown) => {
        failures.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
      });
    }
  }
  await Promise.all(Array.from({ length: LANES }, work));
  return failures;
}
