import { z } from 'zod';
import type { Caller } from './caller.ts';
import { holdsWatchLink, withoutLinkSecrets } from './pasted-links.ts';
import { typedText } from './slack-input.ts';

export const LONGEST_SEARCH = 200;
/** What remains of a typed #vip if Slack turned it into a channel without saying which. */
const UNNAMED_CHANNEL = /(?<!\S)(?:#|<#\w+>)(?!\S)/;

/** A search as typed, its links without query string and fragment. May be empty. */
export const searchText = typedText
  .transform(withoutLinkSecrets)
  .pipe(z.string().max(LONGEST_SEARCH, `Search is limited to ${LONGEST_SEARCH} characters.`))
  .refine(
    (text) => !UNNAMED_CHANNEL.test(text),
    'Slack took that for a channel. To search for a tag, write tag:vip.',
  );

/** The same, but not empty. @param complaint what to say if it is */
export const requiredSearch = (complaint: string) => searchText.pipe(z.string().min(1, complaint));

/** Whether the text must not be searched for, since that would send someone's watch link to the service. */
export const isForbidden = (text: string, { workspace }: Pick<Caller, 'workspace'>): boolean =>
  holdsWatchLink(text, workspace.linkHosts);
