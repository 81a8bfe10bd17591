import { positionBefore, type Audit, type AuditEntry, type AuditFilter } from '../../src/audit/audit.ts';

export const everything: AuditFilter = {
  userIds: [],
  channelIds: [],
  visitorIds: [],
  actions: [],
  since: undefined,
};
export const end = positionBefore(8.64e15);

/** Of a workspace, newest first; all if nothing else is asked. */
export async function entriesIn(
  audit: Pick<Audit, 'read'>,
  workspaceId: string,
  filter: Partial<AuditFilter> = {},
  from = end,
): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const one of audit.read(workspaceId, { ...everything, ...filter }, from)) found.push(one);
  return found;
}
