import { domainToASCII } from 'node:url';
import { z } from 'zod';
import type { Rule } from '../permissions/permissions.ts';

/** A list in one setting, separated by commas or spaces. */
const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

/** User, user group or channel. Source: docs.slack.dev/reference/objects. */
const SLACK_ID = /^[UWSCG][A-Z0-9]{2,30}$/;
const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])$/;

/** "members", "admins", and ids. "admins" alone names nobody else: admins always can. */
export const ruleSetting = (usually: 'members' | 'admins') =>
  z
    .string()
    .default(usually)
    .transform((text, context): Rule => {
      const found = words(text);
      const ids = found.filter((word) => word !== 'members' && word !== 'admins');
      const wrong = ids.find((id) => !SLACK_ID.test(id));
      if (wrong === undefined) return { members: found.includes('members'), ids };
      context.addIssue(
        `must be members, admins, or ids of users, user groups and channels: "${wrong.slice(0, 40)}" isn’t one`,
      );
      return z.NEVER;
    });

/** A host in any script as URLs spell it; anything that isn't just a host is left as it is. */
function asUrlsSpell(word: string): string {
  return /[/\\?#@]/.test(word) ? word : domainToASCII(word) || word;
}

/** Hosts that a watch link may lead to, as URLs spell them. Without any, every host over https. */
export const hostsSetting = z
  .string()
  .default('')
  .refine((text) => text.trim() === '' || words(text).length > 0, {
    error: 'must name a host, or be unset to allow any',
    abort: true,
  })
  .transform((text, context): readonly string[] => {
    const hosts = words(text.toLowerCase()).map(asUrlsSpell);
    const wrong = hosts.find((host) => !HOST.test(host));
    if (wrong === undefined) return hosts;
    context.addIssue(`must be host names, without scheme or port: "${wrong.slice(0, 40)}" isn’t one`);
    return z.NEVER;
  });

const PORT = /:\d{1,5}$/;

/** Hosts that may be private or plain http, each perhaps with a port, as URLs spell them. */
export const openedHostsSetting = z
  .string()
  .default('')
  .transform((text, context): readonly string[] => {
    const hosts = words(text.toLowerCase()).map((word) => {
      const port = PORT.exec(word)?.[0] ?? '';
      return asUrlsSpell(word.slice(0, word.length - port.length)) + port;
    });
    const wrong = hosts.find((host) => !HOST.test(host.replace(PORT, '')));
    if (wrong === undefined) return hosts;
    // What stands before an @ may be a password.
    const shown = wrong.includes('@') ? 'one' : `"${wrong.slice(0, 40)}"`;
    context.addIssue(`must be host names, each perhaps with a port: ${shown} isn’t one`);
    return z.NEVER;
  });

export const watchProofSetting = z.enum(['press', 'ticket'], 'must be press or ticket').default('press');

const MOST_DAYS = 3_650;

export const daysSetting = (usually: number, fewest = 1) =>
  z
    .string()
    .default(String(usually))
    .refine((text) => /^\d{1,4}$/.test(text) && Number(text) >= fewest && Number(text) <= MOST_DAYS, {
      error: `must be a number of days from ${fewest} to ${MOST_DAYS}`,
    })
    .transform(Number);
