type Step = () => unknown;

/**
 * Everything in a group stops together. A step that fails doesn't prevent the rest: the database is closed in any case.
 *
 * @throws the first failure (by rejecting), once everything was tried; several as an AggregateError
 */
export async function stopInOrder(groups: readonly (readonly Step[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const group of groups) {
    const ended = await Promise.allSettled(group.map(async (step) => step()));
    for (const end of ended) if (end.status === 'rejected') failures.push(end.reason);
  }
  if (failures.length > 1)
    throw new AggregateError(failures, 'Several parts of the app could not be stopped.');
  if (failures.length === 1) throw failures[0];
}
