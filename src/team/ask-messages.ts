import { ACTION, ASK_FORM } from '../messages/action-ids.ts';
import { field, personField } from '../messages/form-fields.ts';
import {
  button,
  buttons,
  context,
  done,
  lines,
  message,
  problem,
  type Message,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, date, short, user, where, type Line } from '../messages/text.ts';
import { watchButton, type WatchTarget } from '../messages/visitor-buttons.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { Ask } from './asks.ts';

const LONGEST_REASON = 200;

/** What was filled in. */
export interface FilledAsk {
  readonly person: string;
  readonly reason: string;
}

/** Why somebody is asked. */
export const reasonField = (reason: string, hint: string) =>
  field({
    block: ASK_FORM.reasonBlock,
    label: 'Why',
    hint,
    optional: true,
    element: {
      type: 'plain_text_input',
      action_id: ASK_FORM.reason,
      max_length: LONGEST_REASON,
      ...(reason === '' ? {} : { initial_value: reason }),
    },
  });

/** What's wrong with the reason, by block. */
export const reasonComplaint = (reason: string): Readonly<Record<string, string>> =>
  reason.length > LONGEST_REASON
    ? { [ASK_FORM.reasonBlock]: `At most ${LONGEST_REASON} characters, please.` }
    : {};

/** @param complaint what was wrong, where Slack can't show it beside the fields any more */
export function askForm({ person, reason }: FilledAsk, complaint?: string): FormContent {
  return {
    submit: 'Ask',
    blocks: [
      ...(complaint === undefined ? [] : problem([complaint]).blocks),
      personField({
        block: ASK_FORM.personBlock,
        actionId: ASK_FORM.person,
        label: 'Colleague',
        person,
      }),
      reasonField(reason, 'Your colleague reads it in a direct message. This app keeps it for a day.'),
    ],
  };
}

/** @param canWatch whether they can watch now; why not is theirs to say */
export function askSent(userId: string, canWatch: boolean): Message {
  const limits: readonly Line[] = canWatch
    ? []
    : [['They can’t watch. I’m asking them to find somebody who can.']];
  return done(['I’m sending ', user(userId), ' a direct message.'], ...limits);
}

/** The reason as a line, if there is one. */
export const quoted = (reason: string | undefined): readonly Line[] =>
  reason === undefined ? [] : [[`“${short(reason, LONGEST_REASON)}”`]];

/** @param session when it began, as far as the service says; undefined if none runs */
export function colleagueAsked({
  ask: { askedBy, reason, at },
  visitor,
  visitorId,
  session,
  watch,
}: {
  readonly ask: Ask;
  /** The visitor's name, or its id where it could not be looked up. */
  readonly visitor: string;
  readonly visitorId: string;
  readonly session: { readonly since: Date | undefined } | undefined;
  /** Where Watch leads; undefined if they can't watch. */
  readonly watch: WatchTarget | undefined;
}): Message {
  const name = short(visitor);
  const running: readonly Line[] =
    session === undefined
      ? []
      : [session.since === undefined ? ['In session now'] : ['In session since: ', date(session.since)]];
  return message(
    lines([user(askedBy), ' asks you to look at ', bold(name), '’s screen.'], ...quoted(reason), ...running),
    watch === undefined
      ? lines(['You don’t have permission to watch. Do you know somebody who can? Please ask them to look.'])
      : buttons(
          watchButton(name, watch, 'primary'),
          button({
            text: 'More options',
            actionId: ACTION.watchAsked,
            value: visitorId,
            label: `More options for ${name}`,
          }),
        ),
    context('Asked:', date(at)),
    ...(watch?.url === undefined ? [] : [context('Watch works for 30 minutes; then press More options.')]),
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
