import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { defineForm, type Filled } from '../commands/form.ts';
import { definePress, jsonText } from '../commands/press.ts';
import { isForbidden } from '../commands/typed.ts';
import { ACTION, ASK_CHANNEL_FORM, ASK_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { Unsaved } from '../messages/modal.ts';
import { watchOffer } from '../messages/visitor-buttons.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import type { Showing } from '../visitors/visitor.ts';
import { asAsked } from './ask-colleague.ts';
import { reasonComplaint } from './ask-messages.ts';
import { About, type AskOnce } from './ask-once.ts';
import { NOT_HERE, askChannelForm, channelAskSent, notTaken } from './channel-ask-messages.ts';
import type { ChannelAsk, ChannelAsks } from './channel-asks.ts';
import type { IsShared } from '../messages/visitor-pieces.ts';

/** The value of an "I'll take it" button, once it is JSON no more. */
const Taking = z.tuple([z.string().min(1), z.string().min(1)]);

const reasonIn = (filled: Filled) => (filled[ASK_FORM.reasonBlock]?.[0] ?? '').trim();

/**
 * "Ask this channel", beside "Ask a colleague", and "I'll take it" below its post. Whoever takes it first gets a Watch
 * button of their own, and watches by their own rights, judged when they press that.
 */
export function createAskChannel({
  askOnce,
  channelAsks,
  showing: { visitorTools, recording },
  stateOf,
  isShared,
}: {
  readonly askOnce: AskOnce;
  readonly channelAsks: Pick<ChannelAsks, 'find' | 'take'>;
  readonly showing: Pick<Showing, 'visitorTools' | 'recording'>;
  /** Whether the app can post in a channel. */
  readonly stateOf: (workspaceId: string, channelId: string) => Promise<ChannelState>;
  readonly isShared: IsShared;
}) {
  /** Why a channel can't be asked; undefined if it can. */
  async function whyNot(workspaceId: string, channelId: string): Promise<Message | undefined> {
    if (!isChannel(channelId)) return NOT_HERE.noChannel;
    const [state, shared] = await Promise.all([
      stateOf(workspaceId, channelId),
      isShared(workspaceId, channelId),
    ]);
    if (state === 'archived') return NOT_HERE.archived;
    if (state === 'not-member' || state === 'not-found') return NOT_HERE.notIn;
    if (state === 'unknown' || shared === 'unknown') return NOT_HERE.unknown;
    return shared ? NOT_HERE.shared : undefined;
  }

  async function ask(about: string, reason: string, caller: Caller): Promise<Message | Unsaved> {
    const { workspaceId, channelId = '' } = caller;
    const complain = (words: string): Unsaved => ({
      complaints: { [ASK_FORM.reasonBlock]: words },
      again: askChannelForm(reason, words),
    });
    if (isForbidden(reason, caller))
      return complain('That looks like a watch link. Leave it out: whoever takes it gets their own.');
    const no = await whyNot(workspaceId, channelId);
    if (no !== undefined) return no;
    const before = await askOnce(about, { askedId: channelId, reason }, caller);
    if (before !== undefined)
      return complain(
        `This channel was asked about this customer ${before}. It can be asked again ten minutes after that.`,
      );
    return channelAskSent;
  }

  const form = defineForm({
    callbackId: ASK_CHANNEL_FORM.callbackId,
    title: 'Ask this channel',
    busy: 'Asking this channel…',
    closes: true,
    right: 'watch',
    complaints: (filled) => reasonComplaint(reasonIn(filled)),
    run: ({ filled, about }, caller) => ask(about, reasonIn(filled), caller),
  });

  const press = definePress({
    actionId: ACTION.askChannel,
    answer: 'add',
    right: 'watch',
    value: jsonText.pipe(About),
    opens: {
      form,
      content: async (_about, { workspaceId, channelId = '' }) =>
        (await whyNot(workspaceId, channelId)) ?? askChannelForm(''),
    },
  });

  /** @returns why they haven't got it, in words; undefined if they have */
  async function take(asked: ChannelAsk, { workspaceId, userId }: Caller): Promise<Message | undefined> {
    const { id, visitorId, askedId, askedBy } = asked;
    const entry = {
      workspaceId,
      userId,
      action: 'ask',
      outcome: 'taken',
      channelId: askedId,
      visitorId,
      detail: { from: askedBy },
    } as const;
    if (asked.takenBy === userId || (await channelAsks.take(workspaceId, asked, userId, entry)))
      return undefined;
    const found = await channelAsks.find(workspaceId, visitorId, id);
    return found?.takenBy === userId ? undefined : (notTaken(found, userId) ?? notTaken(undefined, userId));
  }

  const taking = definePress({
    actionId: ACTION.takeAsk,
    answer: 'add',
    right: 'watch',
    value: jsonText.pipe(Taking),
    async run([visitorId, askId], caller) {
      const asked = await channelAsks.find(caller.workspaceId, visitorId, askId);
      const no = notTaken(asked, caller.userId);
      if (no !== undefined || asked === undefined) return no;
      // First, so that nobody takes what then can't be shown to them.
      const visitor = await recording.lookUp(caller, visitorId, () =>
        caller.workspace.cobrowse.visitor(visitorId),
      );
      const tools = await visitorTools(asAsked(caller, asked));
      return (await take(asked, caller)) ?? watchOffer(visitor, tools);
    },
  });

  return { presses: [press, taking], forms: [form] };
}
