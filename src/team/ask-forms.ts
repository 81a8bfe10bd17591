import { z } from 'zod';
import { Answered, type Caller } from '../commands/rights.ts';
import { defineForm, definePress, jsonText } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { isForbidden } from '../commands/typed.ts';
import { done, notice, problem, refusal, type Message } from '../messages/message.ts';
import { unsaved, type FormContent } from '../messages/modal.ts';
import { ago, code, user } from '../messages/text.ts';
import { watchOffer } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { isChannel, rightUnknown } from '../permissions/permissions.ts';
import type { Showing } from '../visitors/visitor.ts';
import { asAsked, LONGEST_REASON, type Ask, type Asks } from './asks.ts';

/** The value of an "Ask a colleague" or "Ask this channel" button, once it is JSON no more: the visitor, and the link. */
const About = z.tuple([z.string().min(1), z.string().optional()]);
/** The same of an "I'll take it" button: the visitor, and the post. */
const Taking = z.tuple([z.string().min(1), z.string().min(1)]);

const personInput = inputs.person('person', 'Colleague');
const reasonInput = (hint: string) =>
  inputs.text('reason', 'Why', { hint, optional: true, most: LONGEST_REASON });
const colleagueReason = reasonInput(
  'Your colleague reads it in a direct message. This app keeps it for a day.',
);
const channelReason = reasonInput('Everybody in this channel reads it. This app keeps it for a day.');

const colleagueFields = (askedId = '', reason = ''): FormContent => ({
  submit: 'Ask',
  blocks: [personInput.show(askedId), colleagueReason.show(reason)],
});
const channelFields = (reason = ''): FormContent => ({ submit: 'Ask', blocks: [channelReason.show(reason)] });

const NOT_HERE = {
  noChannel: refusal(
    ['There’s no channel to ask here.'],
    ['Type ', code('/cobrowse visitor jane'), ' in a channel, or ask a colleague.'],
  ),
  notAskable: refusal(
    ['I can’t ask here: I’m not in this channel, it’s archived, or people from other organizations read it.'],
    ['Ask a colleague instead, or type ', code('/invite @Co-browse'), ' and try again.'],
  ),
  unknown: problem(['Slack didn’t say whether I can ask here.'], ['Try again in a minute.']),
} as const;

const notOpen = notice(['This isn’t open any more. Look for a newer message.']);

/** Why somebody can't take it. Undefined if they can, or have it. */
function notTaken(ask: Ask | undefined, userId: string): Message | undefined {
  if (ask === undefined) return notOpen;
  const { askedBy, takenBy, openUntil } = ask;
  if (takenBy === userId) return undefined;
  if (takenBy !== undefined) return notice([user(takenBy), ' took it.']);
  if (openUntil === undefined) return notOpen;
  return askedBy === userId ? refusal(['You asked, so somebody else has to take it.']) : undefined;
}

const form = { closes: true, right: 'watch' } as const;
const press = { answer: 'add', right: 'watch' } as const;

/** @returns undefined if it's queued; how long ago they were asked before, in words, if that was in the last ten minutes */
const createAskOnce =
  ({ now }: App, asks: Asks) =>
  async (about: string, askedId: string, typed: string, caller: Caller) => {
    const { workspaceId, userId, channelId, threadTs } = caller;
    const [visitorId, linkId] = jsonText.pipe(About).parse(about);
    const reason = typed || undefined;
    const detail = { to: askedId, reason: reason !== undefined };
    const before = await asks.ask(
      { workspaceId, visitorId, askedBy: userId, askedId, reason, linkId, channelId, threadTs },
      { workspaceId, userId, action: 'ask', outcome: 'asked', channelId, visitorId, detail },
    );
    return before && ago(now() - before.askedAt.getTime());
  };

/** Members who can watch, and not the asker. */
async function canBeAsked({ profileOf, mayAct }: App, askedId: string, { workspaceId, userId }: Caller) {
  const { isGuest } = await profileOf(workspaceId, askedId).catch(rightUnknown);
  return askedId !== userId && !isGuest && (await mayAct('watch', { workspaceId, userId: askedId })).allowed;
}

/** @throws Answered where a channel can't be asked */
async function ifAskable({ stateOf, isShared }: App, { workspaceId, channelId = '' }: Caller) {
  if (!isChannel(channelId)) throw new Answered(NOT_HERE.noChannel);
  const [state, shared] = await Promise.all([
    stateOf(workspaceId, channelId),
    isShared(workspaceId, channelId),
  ]);
  if (state === 'unknown' || shared === 'unknown') throw new Answered(NOT_HERE.unknown);
  if (state !== 'member' || shared) throw new Answered(NOT_HERE.notAskable);
  return channelId;
}

/** @throws Answered if they haven't got it */
async function take(asks: Asks, asked: Ask, { workspaceId, userId }: Caller): Promise<void> {
  const { id, visitorId, askedId: channelId, askedBy: from } = asked;
  if (asked.takenBy === userId) return;
  const taken = { action: 'ask', outcome: 'taken', channelId, visitorId, detail: { from } } as const;
  if (await asks.take(asked, userId, { workspaceId, userId, ...taken })) return;
  const found = await asks.find(workspaceId, visitorId, id);
  if (found?.takenBy !== userId) throw new Answered(notTaken(found, userId) ?? notOpen);
}

const lookUp = (recording: Showing['recording'], caller: Caller, visitorId: string) =>
  recording.lookUp(caller, visitorId, () => caller.workspace.cobrowse.visitor(visitorId));

const createAskedPresses = (asks: Asks, { visitorTools, recording }: Showing) => [
  /** What else they can do about the session that they were asked to look at, and Watch once that of the message is old. */
  definePress({
    ...press,
    actionId: 'watch_asked',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const asked = await asks.latest(caller.workspaceId, visitorId, caller.userId);
      const visitor = await lookUp(recording, caller, visitorId);
      return watchOffer(visitor, await visitorTools(asked === undefined ? caller : asAsked(caller, asked)));
    },
  }),
  definePress({
    ...press,
    actionId: 'take_ask',
    value: jsonText.pipe(Taking),
    async run([visitorId, askId], caller) {
      const asked = await asks.find(caller.workspaceId, visitorId, askId);
      const no = notTaken(asked, caller.userId);
      if (no !== undefined || asked === undefined) return no;
      // First, so that nobody takes what then can't be shown to them.
      const visitor = await lookUp(recording, caller, visitorId);
      const tools = await visitorTools(asAsked(caller, asked));
      await take(asks, asked, caller);
      return watchOffer(visitor, tools);
    },
  }),
];

/** Asking a colleague or a channel to look. Whoever is asked watches by their own rights, judged when they press. */
export function createAskForms(app: App, asks: Asks, showing: Showing) {
  const askOnce = createAskOnce(app, asks);

  const colleague = defineForm({
    ...form,
    callbackId: 'ask_form',
    title: 'Ask a colleague',
    async run({ filled, about }, caller) {
      const [askedId, reason] = [personInput.read(filled), colleagueReason.read(filled)];
      const complain = (block: string, words: string) =>
        unsaved(colleagueFields(askedId, reason), block, words);
      if (isForbidden(reason, caller))
        return complain('reason', 'That looks like a watch link. Leave it out: they get their own.');
      if (!(await canBeAsked(app, askedId, caller)))
        return complain('person', 'Choose somebody else: a member of this workspace who can watch.');
      const before = await askOnce(about, askedId, reason, caller);
      if (before !== undefined)
        return complain(
          'person',
          `They were asked about this customer ${before}. They can be asked again ten minutes after that.`,
        );
      return done(['I’m sending ', user(askedId), ' a direct message.']);
    },
  });

  const channel = defineForm({
    ...form,
    callbackId: 'ask_channel_form',
    title: 'Ask this channel',
    async run({ filled, about }, caller) {
      const reason = channelReason.read(filled);
      const complain = (words: string) => unsaved(channelFields(reason), 'reason', words);
      if (isForbidden(reason, caller))
        return complain('That looks like a watch link. Leave it out: whoever takes it gets their own.');
      const before = await askOnce(about, await ifAskable(app, caller), reason, caller);
      if (before !== undefined)
        return complain(
          `This channel was asked about this customer ${before}. It can be asked again ten minutes after that.`,
        );
      return done(['I’m asking this channel.'], ['If nobody takes it within five minutes, I’ll tell you.']);
    },
  });

  const presses = [
    definePress({
      ...press,
      actionId: 'ask_colleague',
      value: jsonText.pipe(About),
      opens: { form: colleague, content: async () => colleagueFields() },
    }),
    definePress({
      ...press,
      actionId: 'ask_channel',
      value: jsonText.pipe(About),
      opens: {
        form: channel,
        content: (_about, caller) => ifAskable(app, caller).then(() => channelFields()),
      },
    }),
    ...createAskedPresses(asks, showing),
  ];
  return { forms: [colleague, channel], presses };
}
