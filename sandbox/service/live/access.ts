import { z } from 'zod';
import { isToolAllowed, type WatchLink } from '../watch-links.ts';

/** What an agent can do on a visitor's page beyond looking and pointing, by the names of the permissions object. */
export const capability = z.enum(['draw', 'click', 'scroll', 'type', 'agent_redirect']);

export type Capability = z.infer<typeof capability>;

/**
 * The visitor agrees to these along with being seen, since they change nothing on the page. The others need another
 * question.
 */
const withSeeing: ReadonlySet<Capability> = new Set(['draw']);

/** The most an agent with this link can ever do. */
export function grantedBy(link: WatchLink): readonly Capability[] {
  return capability.options.filter((one) => isToolAllowed(link, one));
}

/** What an agent with this link can do now. @param lent what the visitor allowed beyond being seen */
export function accessNow(link: WatchLink, lent: ReadonlySet<Capability>): readonly Capability[] {
  return grantedBy(link).filter((one) => withSeeing.has(one) || lent.has(one));
}

/** What can still be asked for: never more than the link grants. */
export function askable(
  link: WatchLink,
  lent: ReadonlySet<Capability>,
  asked: readonly Capability[],
): readonly Capability[] {
  const now = accessNow(link, lent);
  return grantedBy(link).filter((one) => asked.includes(one) && !now.includes(one));
}
