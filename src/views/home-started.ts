import type { KnownBlock } from '@slack/types';
import type { StartedDay } from '../model/started-days.ts';
import { context, lines, message } from './message.ts';
import { notAccepted } from './session-words.ts';
import { count } from './text.ts';

/** Slack's limit is 2,000. */
const LONGEST_ALT_TEXT = 1_900;

/** The workspace's sessions started from Slack per day, today last, with a picture if possible. */
export interface StartedNow {
  readonly days: readonly StartedDay[];
  readonly picture: { readonly url: string; readonly altText: string } | undefined;
}

/** The numbers as words, without the days that have none, and the picture, which only repeats them. */
export function startedBlocks({ days, picture }: StartedNow): readonly KnownBlock[] {
  const total = days.reduce((sum, { sessions }) => sum + sessions, 0);
  const others = notAccepted(days.reduce((sum, { notAccepted: ofDay }) => sum + ofDay, 0));
  const period = `in the last ${count(days.length, 'day')}`;
  if (total === 0) return message(lines([`None ${period}.`], ...others)).blocks;
  const today = (days.at(-1)?.sessions ?? 0).toLocaleString('en-US');
  const each = days
    .filter(({ sessions }) => sessions > 0)
    .map(({ name, sessions }) => `${name}: ${sessions.toLocaleString('en-US')}`);
  const words = message(
    lines([`${total.toLocaleString('en-US')} ${period}, ${today} of them today.`], ...others),
    context(each.join(' · ')),
  );
  if (picture === undefined) return words.blocks;
  const altText = picture.altText.slice(0, LONGEST_ALT_TEXT);
  return [...words.blocks, { type: 'image', image_url: picture.url, alt_text: altText }];
}
