import { ACTION } from '../messages/action-ids.ts';
import {
  button,
  buttons,
  context,
  done,
  lines,
  message,
  notice,
  problem,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, code, date, short, user, where, type Line } from '../messages/text.ts';
import { cutWords, type ShownVisitor } from '../messages/visitor-pieces.ts';
import { quoted, reasonField } from './ask-messages.ts';
import type { ChannelAsk } from './channel-asks.ts';

/** @param complaint what was wrong, where Slack can't show it beside the field any more */
export const askChannelForm = (reason: string, complaint?: string): FormContent => ({
  submit: 'Ask',
  blocks: [
    ...(complaint === undefined ? [] : problem([complaint]).blocks),
    reasonField(reason, 'Everybody in this channel reads it. This app keeps it for a day.'),
  ],
});

export const channelAskSent: Message = done(
  ['I’m asking this channel.'],
  ['If nobody takes it within five minutes, I’ll tell you.'],
);

/** Why a channel can't be asked. */
export const NOT_HERE = {
  noChannel: refusal(
    ['There’s no channel to ask here.'],
    ['Type ', code('/cobrowse visitor jane'), ' in a channel, or ask a colleague.'],
  ),
  notIn: refusal(
    ['I’m not in this channel, so I can’t ask here.'],
    ['Type ', code('/invite @Co-browse'), ', then press Ask this channel again.'],
  ),
  archived: refusal(['This channel is archived, so I can’t ask here.'], ['Ask a colleague instead.']),
  shared: refusal(
    ['People from other organizations can read this channel, so I don’t ask here.'],
    ['Ask a colleague instead.'],
  ),
  unknown: problem(['Slack didn’t say whether I can ask here.'], ['Try again in a minute.']),
} as const;

const asks = (askedBy: string, { visitor }: ShownVisitor): Line => [
  user(askedBy),
  ' asks somebody here to look at ',
  bold(short(visitor)),
  '’s screen.',
];

/** What has become of it, once it isn't open any more. */
function outcomeOf({ takenBy, hasOpened, hasEnded }: ChannelAsk): Line {
  if (takenBy !== undefined)
    return [user(takenBy), hasOpened ? ' took it and asked to see the screen.' : ' took it.'];
  return [hasEnded ? 'The session ended. Nobody took it.' : 'Nobody took it in time.'];
}

/** @param knowsEnd whether it becomes known that the session has ended */
function openParts(
  ask: ChannelAsk,
  openUntil: Date,
  { visitor }: ShownVisitor,
  knowsEnd: boolean,
): readonly Part[] {
  return [
    buttons(
      button({
        text: 'I’ll take it',
        actionId: ACTION.takeAsk,
        value: JSON.stringify([ask.visitorId, ask.id]),
        label: `I’ll take it: look at ${short(visitor)}’s screen`,
        style: 'primary',
      }),
    ),
    ask.cardId !== undefined && knowsEnd
      ? context('Open until the session ends.')
      : context('Open until:', date(openUntil)),
  ];
}

/** The post in the channel, whatever has become of it. */
export function channelAsked(ask: ChannelAsk, shown: ShownVisitor, knowsEnd: boolean): Message {
  const { askedBy, reason, openUntil } = ask;
  const { isCut } = shown;
  return message(
    lines(
      asks(askedBy, shown),
      ...(isCut === false ? quoted(reason) : []),
      ...(openUntil === undefined ? [outcomeOf(ask)] : []),
    ),
    ...cutWords(isCut),
    ...(openUntil === undefined ? [] : openParts(ask, openUntil, shown, knowsEnd)),
  );
}

/** The same once there is a newer post. */
export const askedAgain = (againBy: string, shown: ShownVisitor): Message =>
  message(
    lines([
      'Nobody took this. ',
      user(againBy),
      ' asked again to look at ',
      bold(short(shown.visitor)),
      '’s screen.',
    ]),
    ...cutWords(shown.isCut),
  );

/** For the asker alone. @param visitor the visitor's name, or its id */
export const nobodyTook = ({ askedId }: ChannelAsk, visitor: string): Message =>
  notice(
    [
      'Nobody in ',
      where(askedId),
      ' has taken your question about ',
      bold(short(visitor)),
      ' yet. It’s still open there.',
    ],
    ['You can also ask a colleague.'],
  );

/** Why somebody can't take it. Undefined if they can, or have it. */
export function notTaken(ask: ChannelAsk | undefined, userId: string): Message | undefined {
  if (ask === undefined) return notice(['This isn’t open any more. Look for a newer message.']);
  const { askedBy, takenBy, openUntil, hasEnded } = ask;
  if (takenBy === userId) return undefined;
  if (takenBy !== undefined) return notice([user(takenBy), ' took it.']);
  if (openUntil === undefined)
    return notice([
      hasEnded ? 'The session ended, so there’s nothing to take.' : 'This isn’t open any more.',
    ]);
  return askedBy === userId ? refusal(['You asked, so somebody else has to take it.']) : undefined;
}
