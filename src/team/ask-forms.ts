import { z } from 'zod';
import { Answered, type Caller } from '../commands/rights.ts';
import { defineForm, definePress, jsonText } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { isForbidden } from '../commands/typed.ts';
import { done, notice, problem, refusal, type Message } from '../messages/message.ts';
import { unsaved, type FormContent } from '../messages/modal.ts';
import { ago, code, given, user } from '../messages/text.ts';
import { watchOffer } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { isChannel, rightUnknown } from '../permissions/permissions.ts';
import { lookedUp, type Showing } from '../visitors/visitor.ts';
import { asAsked, LONGEST_REASON, type Ask, type Asks } from './asks.ts';

/** The value of an "Ask a colleague" or "Ask this channel" button, once it is JSON no more: the visitor, and the link. */
const About = z.tuple([z.string().min(1), z.string().optional()]);
/** The same of an "I'll take it" button: the visitor, and the post. */
const Taking = z.tuple([z.string().min(1), z.string().min(1)]);

const personInput = inputs.person('person', 'Colleague');
const reasonInput = inputs.text('reason', 'Why', {
  hint: 'Whom you ask reads it. This app keeps it for a day.',
  optional: true,
  most: LONGEST_REASON,
});

const fields = (askedId: string | undefined, reason = ''): FormContent => ({
  submit: 'Ask',
  blocks: given([askedId !== undefined && personInput.show(askedId), reasonInput.show(reason)]),
});

const notHere = refusal(
  ['I can’t ask here: this isn’t a channel, it’s archived, or people from other organizations can read it.'],
  ['Ask a colleague instead.'],
);
const notIn = refusal(
  ['I can’t ask here: I’m not in this channel.'],
  ['Ask a colleague instead, or type ', code('/invite @Co-browse'), ' and try again.'],
);
const notSaid = problem(['Slack didn’t say whether I can ask here.'], ['Try again in a minute.']);

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

const press = { answer: 'add', right: 'watch' } as const;

/** Members who can watch, and not the asker. */
async function canBeAsked({ profileOf, mayAct }: App, askedId: string, { workspaceId, userId }: Caller) {
  const { isGuest } = await profileOf(workspaceId, askedId).catch(rightUnknown);
  return askedId !== userId && !isGuest && (await mayAct('watch', { workspaceId, userId: askedId })).allowed;
}

/** @throws Answered where a channel can't be asked */
async function ifAskable({ stateOf, isShared }: App, { workspaceId, channelId = '' }: Caller) {
  if (!isChannel(channelId)) throw new Answered(notHere);
  const [state, shared] = await Promise.all([
    stateOf(workspaceId, channelId),
    isShared(workspaceId, channelId),
  ]);
  if (state === 'not-member' || state === 'not-found') throw new Answered(notIn);
  if (state === 'archived' || shared === true) throw new Answered(notHere);
  if (state === 'unknown' || shared === 'unknown') throw new Answered(notSaid);
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

const createAskedPresses = (asks: Asks, showing: Showing) => [
  /** What else they can do about the session that they were asked to look at, and Watch once that of the message is old. */
  definePress({
    ...press,
    actionId: 'watch_asked',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const asked = await asks.latest(caller.workspaceId, visitorId, caller.userId);
      const visitor = await lookedUp(showing, caller, visitorId);
      const tools = await showing.visitorTools(asked === undefined ? caller : asAsked(caller, asked));
      return watchOffer(visitor, tools);
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
      const visitor = await lookedUp(showing, caller, visitorId);
      const tools = await showing.visitorTools(asAsked(caller, asked));
      await take(asks, asked, caller);
      return watchOffer(visitor, tools);
    },
  }),
];

interface Asking {
  readonly name: 'ask' | 'ask_channel';
  readonly title: string;
  readonly asksWhom: boolean;
  readonly done: (askedId: string) => Message;
}

/** Asking a colleague or a channel to look. Whoever is asked watches by their own rights, judged when they press. */
function defineAsk(app: App, asks: Asks, { name, title, asksWhom, done: said }: Asking) {
  const form = defineForm({
    callbackId: `${name}_form`,
    title,
    closes: true,
    right: 'watch',
    async run({ filled, about }, caller) {
      const [typed, reason] = [asksWhom ? personInput.read(filled) : undefined, reasonInput.read(filled)];
      const complain = (block: string, words: string) => unsaved(fields(typed, reason), block, words);
      if (isForbidden(reason, caller))
        return complain('reason', 'That looks like a watch link. Leave it out: they get their own.');
      if (typed !== undefined && !(await canBeAsked(app, typed, caller)))
        return complain('person', 'Choose somebody else: a member of this workspace who can watch.');
      const askedId = typed ?? (await ifAskable(app, caller));
      const [visitorId, linkId] = jsonText.pipe(About).parse(about);
      const { workspaceId, userId, channelId, threadTs } = caller;
      const why = reason || undefined;
      const detail = { to: askedId, reason: why !== undefined };
      const before = await asks.ask(
        { workspaceId, visitorId, askedBy: userId, askedId, reason: why, linkId, channelId, threadTs },
        { workspaceId, userId, action: 'ask', outcome: 'asked', channelId, visitorId, detail },
      );
      if (before === undefined) return said(askedId);
      const when = ago(app.now() - before.askedAt.getTime());
      return complain(
        asksWhom ? 'person' : 'reason',
        `Already asked about this customer ${when}. That’s possible once in ten minutes.`,
      );
    },
  });
  const opener = definePress({
    ...press,
    actionId: asksWhom ? 'ask_colleague' : 'ask_channel',
    value: jsonText.pipe(About),
    opens: {
      form,
      async content(_about, caller) {
        if (!asksWhom) await ifAskable(app, caller);
        return fields(asksWhom ? '' : undefined);
      },
    },
  });
  return { form, opener };
}

export function createAskForms(app: App, asks: Asks, showing: Showing) {
  const both = [
    defineAsk(app, asks, {
      name: 'ask',
      title: 'Ask a colleague',
      asksWhom: true,
      done: (askedId) => done(['I’m sending ', user(askedId), ' a direct message.']),
    }),
    defineAsk(app, asks, {
      name: 'ask_channel',
      title: 'Ask this channel',
      asksWhom: false,
      done: () =>
        done(['I’m asking this channel.'], ['If nobody takes it within five minutes, I’ll tell you.']),
    }),
  ];
  return {
    forms: both.map(({ form }) => form),
    presses: [...both.map(({ opener }) => opener), ...createAskedPresses(asks, showing)],
  };
}
