import { z } from 'zod';
import { isToolAllowed } from '../watch-links.ts';
import type { WatchLink } from '../watch-links.ts';

/** What an agent does on a visitor's page beyond looking and pointing, by the names of the permissions object. */
export const capability = z.enum(['draw', 'click', 'scroll', 'type', 'agent_redirect']);

export type Capability = z.infer<typeof capability>;

/** The visitor agrees to these with seeing: they change nothing on the page. The rest is asked for. */
const withSeeing: ReadonlySet<Capability> = new Set(['draw']);

/** The most an agent with this link can ever do. */
export function grantedBy(link: WatchLink): readonly Capability[] {
  return capability.options.filter((one) => isToolAllowed(link, one));
}

/** What an agent with this link may do now. @param lent what the visitor lent beyond seeing */
export function accessNow(link: WatchLink, lent: ReadonlySet<Capability>): readonly Capability[] {
  return grantedBy(link).filter((one) => withSeeing.has(one) || lent.has(one));
}

/** What may still be asked for: never above what the link grants. */
export function askable(
  link: WatchLink,
  lent: ReadonlySet<Capability>,
  asked: readonly Capability[],
): readonly Capability[] {
  const now = accessNow(link, lent);
  return grantedBy(link).filter((one) => asked.includes(one) && !now.includes(one));
}
