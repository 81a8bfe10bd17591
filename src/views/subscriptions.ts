import type { Refusal } from '../grants/acts.ts';
import type { Subscription } from '../grants/subscription.ts';
import { notice } from './message.ts';
import type { Message } from './message.ts';
import { code, user } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import type { Content } from './subscription-words.ts';
import { contentInWords, placeOf, whatToDo, whyNoPosts } from './subscription-words.ts';
import { count } from './text.ts';

/** Posted into the channel at once: who set it up, and what will come. */
export function summariesSetUp(by: string, content: Content, replaced?: Subscription): Message {
  return notice(
    [user(by), ' set up for this channel: ', ...contentInWords(content), '.'],
    ...replacedLine(replaced),
    ['End it with ', code('/cobrowse unsubscribe'), '.'],
  );
}

/** What came before it in the same place. */
function replacedLine(replaced: Subscription | undefined): Line[] {
  if (replaced === undefined) return [];
  return [[`It takes the place of number ${replaced.id}: `, ...contentInWords(replaced), '.']];
}

/** Posted into the channel when it is over. */
export function summariesEnded(by: string, content: Content): Message {
  return notice([user(by), ' ended for this channel: ', ...contentInWords(content), '.']);
}

export function subscribed({ id, channelId, ...content }: Subscription, replaced?: Subscription): Message {
  return notice(
    [...placeOf(channelId), ' gets ', ...contentInWords(content), `. This is number ${id}.`],
    ...replacedLine(replaced),
    [
      'See all with ',
      code('/cobrowse subscriptions'),
      '; end it with ',
      code(`/cobrowse unsubscribe ${id}`),
      '.',
    ],
  );
}

/** Nothing would ever come. */
export function noEndsTold(): Message {
  return notice(
    ['Your co-browsing installation tells of no session’s end, so there are no summaries and no digests.'],
    ['Whoever runs the app can connect it to a co-browsing account, too: that one can be asked.'],
  );
}

export function alreadySubscribed({ id, channelId, setUpBy, ...content }: Subscription): Message {
  return notice(
    [
      ...placeOf(channelId),
      ' already gets ',
      ...contentInWords(content),
      `: number ${id}, set up by `,
      user(setUpBy),
      '. Nothing was changed.',
    ],
    ['To change it, end it first with ', code(`/cobrowse unsubscribe ${id}`), '.'],
  );
}

export function tooManySubscriptions(most: number): Message {
  return notice(
    [`This workspace has ${count(most, 'subscription')} already, which is the most.`],
    ['See them with ', code('/cobrowse subscriptions'), ' and end one that is no longer needed.'],
  );
}

/** The channel did not take the first post, so that nothing was set up. */
export function notSubscribed(channelId: string, reason: string, mayPass: boolean): Message {
  if (mayPass) {
    return notice([
      'Slack did not take the post in ',
      ...placeOf(channelId),
      ' just now, so nothing was set up. Try again in a minute.',
    ]);
  }
  return notice(
    ['Nothing was set up for ', ...placeOf(channelId), ': ', ...whyNoPosts(reason), '.'],
    [...whatToDo(reason, channelId), ' Then run the command again.'],
  );
}

/** Why somebody may not manage a channel's summaries; `unknown` where Slack does not say who is in it. */
export type NotManaged = Refusal | 'not-member' | 'unknown';

export function mayNotManage(why: NotManaged, channelId: string): Message {
  const place = placeOf(channelId);
  switch (why) {
    case 'external':
      return notice([
        'Summaries are for the people of the workspace that installed this app, and you are of another organisation.',
      ]);
    case 'guest':
      return notice(
        ['You are a guest in this workspace, and guests do not set up summaries.'],
        ['Ask a member of the channel.'],
      );
    case 'unknown':
      return notice(
        ['Slack does not tell the app whether you are in ', ...place, '.'],
        [
          'Go there, type ',
          code('/invite @Co-browse'),
          ' if the app is not in it yet, and run the command there.',
        ],
      );
    default:
      return notice(
        ['The summaries of ', ...place, ' are for its members and for workspace admins to set up and end.'],
        ['Join the channel, or ask one of them.'],
      );
  }
}

export function noSuchSubscription(): Message {
  return notice(
    ['There is no such subscription that you may change, or no longer.'],
    ['See all with ', code('/cobrowse subscriptions'), '.'],
  );
}

export function unsubscribed({ channelId, ...content }: Subscription): Message {
  return notice([...placeOf(channelId), ' no longer gets ', ...contentInWords(content), '.']);
}

export function noneIn(channelId: string, isDigest: boolean): Message {
  return notice(
    [isDigest ? 'No digest is set up for ' : 'Nothing is set up for ', ...placeOf(channelId), '.'],
    ['Set it up with ', code('/cobrowse subscribe'), ' or ', code('/cobrowse digest'), '.'],
  );
}
