import type { Sandbox } from '../../sandbox/sandbox.ts';

/** The text of the last file that the app sent to somebody. */
export function sentFile({ slack }: Pick<Sandbox, 'slack'>): string {
  const upload = slack.calls.findLast(({ method }) => method === 'upload');
  return String(new Map(Object.entries(upload?.args ?? {})).get('text') ?? '');
}
