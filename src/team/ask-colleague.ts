import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { defineForm, type Filled } from '../commands/form.ts';
import { definePress, jsonText } from '../commands/press.ts';
import { isForbidden } from '../commands/typed.ts';
import { ACTION, ASK_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { Unsaved } from '../messages/modal.ts';
import { watchOffer } from '../messages/visitor-buttons.ts';
import { type MayAct, rightUnknown } from '../permissions/acts.ts';
import type { Membership } from '../permissions/permissions.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { Showing } from '../visitors/visitor.ts';
import { askForm, askSent, reasonComplaint, type FilledAsk } from './ask-messages.ts';
import { About, type AskOnce } from './ask-once.ts';
import type { Ask, Asks } from './asks.ts';

const filledAsk = (filled: Filled): FilledAsk => ({
  person: filled[ASK_FORM.personBlock]?.[0] ?? '',
  reason: (filled[ASK_FORM.reasonBlock]?.[0] ?? '').trim(),
});

/** Whether the session is in somebody's direct messages, which nobody else sees. */
export const isDirect = ({ channelId }: Pick<Ask, 'channelId'>): boolean =>
  channelId !== undefined && !isChannel(channelId);

/** Whoever was asked, in the place of the session that they were asked to look at. */
export function asAsked<Who extends Pick<Caller, 'channelId' | 'threadTs'>>(
  who: Who,
  asked: Pick<Ask, 'channelId' | 'threadTs' | 'ticketUrl'>,
) {
  const { channelId, threadTs } = isDirect(asked) ? who : asked;
  return { ...who, channelId, threadTs, ticketUrl: asked.ticketUrl, isAsked: true } as const;
}

/**
 * "Ask a colleague", on a session's card and on the visitor's, and the Watch button of whoever was asked. Who asks must be
 * able to watch; whoever was asked watches by their own rights, judged when they press.
 */
export function createAskColleague({
  askOnce,
  asks,
  showing: { visitorTools, recording },
  profileOf,
  mayAct,
}: {
  readonly askOnce: AskOnce;
  readonly asks: Pick<Asks, 'latest'>;
  readonly showing: Pick<Showing, 'visitorTools' | 'recording'>;
  /** Rejects if Slack can't be asked. */
  readonly profileOf: (workspaceId: string, userId: string) => Promise<Membership>;
  readonly mayAct: MayAct;
}) {
  /** Why somebody is never asked, in words beside their name; undefined if they can be. */
  async function whyNot(askedId: string, { workspaceId, userId }: Caller): Promise<string | undefined> {
    if (askedId === userId) return 'That’s you. Choose somebody else.';
    const profile = await profileOf(workspaceId, askedId).catch(rightUnknown);
    if (profile.isBot) return 'That’s an app. Choose a person.';
    if (profile.isDeactivated) return 'This account is deactivated. Choose somebody else.';
    if (profile.isExternal) return 'Only people of this workspace can be asked.';
    return profile.isGuest ? 'Guests can’t be asked. Choose a member of this workspace.' : undefined;
  }

  async function ask(about: string, filled: FilledAsk, caller: Caller): Promise<Message | Unsaved> {
    const { workspaceId } = caller;
    const { person: askedId, reason } = filled;
    const complain = (block: string, words: string): Unsaved => ({
      complaints: { [block]: words },
      again: askForm(filled, words),
    });
    if (isForbidden(reason, caller))
      return complain(
        ASK_FORM.reasonBlock,
        'That looks like a watch link. Leave it out: they get their own.',
      );
    const no = await whyNot(askedId, caller);
    if (no !== undefined) return complain(ASK_FORM.personBlock, no);
    const { allowed: canWatch } = await mayAct('watch', { workspaceId, userId: askedId });
    const before = await askOnce(about, { askedId, reason }, caller);
    if (before !== undefined)
      return complain(
        ASK_FORM.personBlock,
        `They were asked about this customer ${before}. They can be asked again ten minutes after that.`,
      );
    return askSent(askedId, canWatch);
  }

  const form = defineForm({
    callbackId: ASK_FORM.callbackId,
    title: 'Ask a colleague',
    busy: 'Asking your colleague…',
    closes: true,
    right: 'watch',
    complaints(filled) {
      const { person, reason } = filledAsk(filled);
      return {
        ...(person === '' ? { [ASK_FORM.personBlock]: 'Choose a person.' } : {}),
        ...reasonComplaint(reason),
      };
    },
    run: ({ filled, about }, caller) => ask(about, filledAsk(filled), caller),
  });

  const press = definePress({
    actionId: ACTION.askColleague,
    answer: 'add',
    right: 'watch',
    value: jsonText.pipe(About),
    opens: { form, content: async () => askForm({ person: '', reason: '' }) },
  });

  /** What else they can do about the session that they were asked to look at, and Watch once that of the message is old. */
  const watchAsked = definePress({
    actionId: ACTION.watchAsked,
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId } = caller;
      const asked = await asks.latest(workspaceId, visitorId, userId);
      const visitor = await recording.lookUp(caller, visitorId, () =>
        caller.workspace.cobrowse.visitor(visitorId),
      );
      return watchOffer(visitor, await visitorTools(asked === undefined ? caller : asAsked(caller, asked)));
    },
  });

  return { presses: [press, watchAsked], forms: [form] };
}
