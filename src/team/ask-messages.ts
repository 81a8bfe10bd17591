import { ACTION, ASK_FORM } from '../messages/action-ids.ts';
import { personField, textField } from '../commands/inputs.ts';
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
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, code, date, say, short, user, where, type Line } from '../messages/text.ts';
import { cutWords, watchButton, type ShownVisitor, type WatchTarget } from '../messages/visitor-pieces.ts';
import { isChannel } from '../permissions/permissions.ts';
import type { Ask } from './asks.ts';

const LONGEST_REASON = 200;

const reasonField = (text: string, hint: string) =>
  textField({
    block: ASK_FORM.reasonBlock,
    actionId: ASK_FORM.reason,
    label: 'Why',
    hint,
    optional: true,
    most: LONGEST_REASON,
    text,
  });

/** What's wrong with the reason, by block. */
export const reasonComplaint = (reason = '') => ({
  [ASK_FORM.reasonBlock]: reason.length > LONGEST_REASON && `At most ${LONGEST_REASON} characters, please.`,
});

const above = (complaint: string | undefined) => (complaint === undefined ? [] : problem([complaint]).blocks);

/** @param complaint what was wrong, where Slack can't show it beside the fields any more */
export const askForm = (person = '', reason = '', complaint?: string): FormContent => ({
  submit: 'Ask',
  blocks: [
    ...above(complaint),
    personField({ block: ASK_FORM.personBlock, actionId: ASK_FORM.person, label: 'Colleague', person }),
    reasonField(reason, 'Your colleague reads it in a direct message. This app keeps it for a day.'),
  ],
});

/** @param complaint what was wrong, where Slack can't show it beside the field any more */
export const askChannelForm = (reason = '', complaint?: string): FormContent => ({
  submit: 'Ask',
  blocks: [
    ...above(complaint),
    reasonField(reason, 'Everybody in this channel reads it. This app keeps it for a day.'),
  ],
});

/** @param canWatch whether they can watch now; why not is theirs to say */
export const askSent = (userId: string, canWatch: boolean): Message =>
  done(
    ['I’m sending ', user(userId), ' a direct message.'],
    !canWatch && ['They can’t watch. I’m asking them to find somebody who can.'],
  );

export const channelAskSent = done(
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

/** The reason as a line, if there is one. */
const quoted = ({ reason }: Ask) => reason !== undefined && [`“${short(reason, LONGEST_REASON)}”`];

/**
 * @param visitor the visitor's name, or its id where it could not be looked up
 * @param session when it began, as far as the service says; undefined if none runs
 * @param watch where Watch leads; undefined if they can't watch
 */
export function colleagueAsked(
  ask: Ask,
  visitor: string,
  session: { readonly since: Date | undefined } | undefined,
  watch: WatchTarget | undefined,
): Message {
  const name = short(visitor);
  const since = session?.since;
  return message(
    lines(
      [user(ask.askedBy), ' asks you to look at ', bold(name), '’s screen.'],
      quoted(ask),
      session && (since === undefined ? ['In session now'] : ['In session since: ', date(since)]),
    ),
    watch === undefined
      ? lines(['You don’t have permission to watch. Do you know somebody who can? Please ask them to look.'])
      : buttons(
          watchButton(name, watch, 'primary'),
          button({
            text: 'More options',
            actionId: ACTION.watchAsked,
            value: ask.visitorId,
            label: `More options for ${name}`,
          }),
        ),
    context('Asked:', date(ask.askedAt)),
    watch?.url !== undefined && context('Watch works for 30 minutes; then press More options.'),
  );
}

/** Slack refused the message to a person or a channel. @param visitor the visitor's name, or its id */
export function notAsked(askedId: string, visitor: string): Message {
  const name = bold(short(visitor));
  return isChannel(askedId)
    ? problem(
        ['I couldn’t post your question about ', name, ' in ', where(askedId), '.'],
        ['Ask a colleague instead, or write there yourself.'],
      )
    : problem(
        ['I couldn’t send ', user(askedId), ' your message about ', name, '.'],
        ['Ask somebody else, or write to them yourself.'],
      );
}

/** What has become of it, once it isn't open any more. */
function outcomeOf({ takenBy, hasOpened, hasEnded }: Ask): Line {
  if (takenBy !== undefined)
    return [user(takenBy), hasOpened ? ' took it and asked to see the screen.' : ' took it.'];
  return [hasEnded ? 'The session ended. Nobody took it.' : 'Nobody took it in time.'];
}

/**
 * The post in the channel, whatever has become of it.
 *
 * @param knowsEnd whether it becomes known that the session has ended
 */
export function channelAsked(ask: Ask, { visitor, isCut }: ShownVisitor, knowsEnd: boolean): Message {
  const { askedBy, openUntil } = ask;
  const name = short(visitor);
  const take = {
    text: 'I’ll take it',
    actionId: ACTION.takeAsk,
    value: JSON.stringify([ask.visitorId, ask.id]),
    label: `I’ll take it: look at ${name}’s screen`,
    style: 'primary',
  } as const;
  return message(
    lines(
      [user(askedBy), ' asks somebody here to look at ', bold(name), '’s screen.'],
      isCut === false && quoted(ask),
      openUntil === undefined && outcomeOf(ask),
    ),
    ...cutWords(isCut),
    openUntil && buttons(button(take)),
    openUntil &&
      (ask.cardId !== undefined && knowsEnd
        ? context('Open until the session ends.')
        : context('Open until:', date(openUntil))),
  );
}

/** The same once there is a newer post. */
export const askedAgain = (againBy: string, { visitor, isCut }: ShownVisitor): Message =>
  message(
    lines(say`Nobody took this. ${user(againBy)} asked again to look at ${bold(short(visitor))}’s screen.`),
    ...cutWords(isCut),
  );

/** For the asker alone. @param visitor the visitor's name, or its id */
export function nobodyTook({ askedId }: Ask, visitor: string): Message {
  const [channel, name] = [where(askedId), bold(short(visitor))];
  return notice(say`Nobody in ${channel} has taken your question about ${name} yet. It’s still open there.`, [
    'You can also ask a colleague.',
  ]);
}

export const notOpen = notice(['This isn’t open any more. Look for a newer message.']);

/** Why somebody can't take it. Undefined if they can, or have it. */
export function notTaken(ask: Ask | undefined, userId: string): Message | undefined {
  if (ask === undefined) return notOpen;
  const { askedBy, takenBy, openUntil, hasEnded } = ask;
  if (takenBy === userId) return undefined;
  if (takenBy !== undefined) return notice([user(takenBy), ' took it.']);
  if (openUntil === undefined)
    return notice([
      hasEnded ? 'The session ended, so there’s nothing to take.' : 'This isn’t open any more.',
    ]);
  return askedBy === userId ? refusal(['You asked, so somebody else has to take it.']) : undefined;
}
