type Step = () => unknown;

/**
 * Everything in a group stops together. A step that fails doesn't prevent the rest: the database is closed in any case.
 *
 * @throws AggregateError (by rejecting), once everything was tried
 */
export async function stopInOrder(groups: readonly (readonly Step[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const group of groups) {
    const ended = await Promise.allSettled(group.map(async (step) => step()));
    for (const end of ended) if (end.status === 'rejected') failures.push(end.reason);
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Parts of the app could not be stopped.');
}
