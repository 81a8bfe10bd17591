/** Fewer than would use up the hundred connections that a PostgreSQL server usually has, beside other files. */
const LANES = 4;

/**
 * Runs cases of one test beside each other: most of each is a wait. All of them come to their end, and a failure says which
 * cases it is of.
 *
 * @throws AggregateError with what each failed case threw
 */
export async function atOnce(cases: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const left = Object.entries(cases);
  const failures: Error[] = [];
  async function work(): Promise<void> {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, run] = next;
      await run().catch(
        (cause: unknown) => void failures.push(new Error(`${name}: ${String(cause)}`, { cause })),
      );
    }
  }
  await Promise.all(Array.from({ length: LANES }, work));
  if (failures.length > 0)
    throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
}
