import type { App } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { atMost } from '../cache-limit.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Viewer } from '../commands/caller.ts';
import type { Catalog } from '../commands/catalog.ts';
import type { IfAllowed } from '../commands/rights.ts';
import type { Choice } from '../commands/shortcut.ts';
import { FORM } from '../messages/action-ids.ts';
import { failureMessage } from '../messages/failure-words.ts';
import { after, problem, stillBusy, stillWorking } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import { formModal, loadingModal, messageModal, savingModal } from '../messages/modal.ts';
import { notInstalled, outdatedButton, outdatedForm, rightUnknownWords } from '../messages/refusals.ts';
import { failedSearchChoice, stillSearchingChoice } from '../commands/shortcut.ts';
import type { IsOwnBot, Workspace } from '../workspaces/workspaces.ts';
import { MODAL_TITLE, formPlace, pressPlace } from './answer-places.ts';
import type { Answerer } from './answer.ts';
import {
  callerNowhere,
  callerOfCommand,
  callerOfShortcut,
  callerOfSubmission,
  presserOf,
  workspaceOfEvent,
} from './callers.ts';
import type { DrawHome } from './home-tab.ts';
import { messageAddress } from './message-address.ts';
import { shortcutPlace } from './message-shortcuts.ts';
import { holdOpen } from './open-form.ts';
import {
  CommandPayload,
  EventPayload,
  GlobalShortcutPayload,
  MessageShortcutPayload,
  PressPayload,
  SubmissionPayload,
  SuggestionPayload,
  filledIn,
  readModalContext,
} from './payloads.ts';
import type { ReadPayload } from './read-payload.ts';
import { openLoading, replyPrivately, updateModal } from './reply.ts';

export interface InteractionParts {
  readonly catalog: Catalog;
  /** Undefined if the app isn't installed. */
  readonly workspaceOf: (workspaceId: string) => Promise<Workspace | undefined>;
  readonly ifAllowed: IfAllowed;
  readonly answerer: Answerer;
  readonly isOwnBot: IsOwnBot;
  readonly read: ReadPayload;
  readonly drawHome: DrawHome;
  /** Greets a person who opened the app, unless they've been greeted. Returns immediately. */
  readonly greet: (viewer: Viewer) => void;
  /** Looks up what the press that follows will need. */
  readonly prefetch: (workspaceId: string, userId: string) => void;
  /** Called with a workspace in which the app isn't installed. */
  readonly unknownWorkspace: (workspaceId: string) => void;
  /** Called with failures for which Slack shows no words of ours. */
  readonly report: (error: unknown) => void;
}

/** Slack waits 3 s for options, the way there and back included; after this the search field says that it takes longer. */
export const SUGGESTIONS_WITHIN_MS = 2_000;

const noNotes = problem([
  'The notes won’t start with a link to the message: the app isn’t in its channel, or the message is gone.',
]);

/** An opening of one of the app's tabs. Source: docs.slack.dev/reference/events/app_home_opened. */
const HomeOpened = EventPayload.extend({
  event_id: z.string(),
  event: z.object({ user: z.string(), tab: z.string() }),
});

/** Slack repeats an event immediately, after one minute and after five. */
const REMEMBERED_MS = 10 * 60 * 1_000;
const MOST_EVENTS = 10_000;

/**
 * Everything that people can use in Slack: one listener for each kind of interaction. Each one acknowledges first (a
 * form as soon as its workspace is found), then finds what is asked for by name and in which workspace, and leaves the
 * work to the answerer.
 */
export function listenForInteractions(bolt: App, parts: InteractionParts): void {
  const { catalog, ifAllowed, answerer, read, drawHome, greet, prefetch, report } = parts;

  /**
   * Who asks, with their workspace. Undefined if the app isn't installed there, or if we can't find out. Says so wherever
   * Slack left an address to reply to.
   */
  async function find<Who extends Viewer>(
    who: Who,
    responseUrl?: string,
    show?: (words: Message) => Promise<unknown>,
  ): Promise<(Who & { readonly workspace: Workspace }) | undefined> {
    const { workspaceId, userId } = who;
    let words = notInstalled;
    try {
      const workspace = await parts.workspaceOf(workspaceId);
      if (workspace !== undefined) return { ...who, workspace };
      parts.unknownWorkspace(workspaceId);
    } catch (error) {
      report(error);
      words = failureMessage(rightUnknownWords());
    }
    const reply = { client: undefined, userId, replace: false };
    if (responseUrl !== undefined) await replyPrivately({ ...reply, responseUrl }, words).catch(report);
    await show?.(words);
    return undefined;
  }

  bolt.command(/.*/, async ({ ack, body }) => {
    await ack();
    const payload = read('command', CommandPayload, body);
    if (payload === undefined) return;
    const { text, response_url: responseUrl, channel_id: channelId } = payload;
    const caller = await find(callerOfCommand(payload), responseUrl);
    if (caller === undefined) return;
    const { workspace, workspaceId, userId } = caller;
    const reply = { client: workspace.slack, responseUrl, userId, channelId, replace: false };
    const command = catalog.commandOf(text);
    prefetch(workspaceId, userId);
    answerer.take({
      name: `command ${command.name}`,
      workspaceId,
      userId,
      work: () => catalog.run(text, caller, ifAllowed),
      deliver: (message) => replyPrivately(reply, message),
      meanwhile: stillBusy(command),
    });
  });

  // Without a pattern, since Bolt fails on an id that isn't text before we see it.
  bolt.action({}, async ({ ack, body }) => {
    await ack();
    const payload = read('press', PressPayload, body);
    if (payload === undefined) return;
    const [{ action_id: actionId, value }] = payload.actions;
    const press = catalog.press(actionId);
    const presser = await find(presserOf(payload), payload.response_url);
    if (presser === undefined) return;
    const { workspace, workspaceId, userId } = presser;
    const asked = { name: `press ${press === undefined ? 'unknown' : actionId}`, workspaceId, userId };
    if (press?.opens !== undefined) {
      const place = formPlace(payload, presser, press.opens, press.answer, ifAllowed);
      answerer.take({ ...asked, ...place, meanwhile: stillWorking });
      return;
    }
    const isQuiet = press?.needsAnswer === false;
    const place = { payload, client: workspace.slack, press, isQuiet };
    const { work, deliver } = pressPlace(place, async (opened) =>
      press === undefined ? outdatedButton : press.run(value, { ...presser, opened }, ifAllowed),
    );
    answerer.take({
      ...asked,
      work,
      deliver,
      ...(isQuiet ? {} : { meanwhile: stillWorking }),
      after: () => press?.redraws !== undefined && drawHome(presser, press.redraws),
    });
  });

  bolt.view({}, async ({ ack, body }) => {
    const payload = read('form', SubmissionPayload, body);
    if (payload === undefined) {
      await ack();
      return;
    }
    const { view } = payload;
    const context = readModalContext(view.private_metadata);
    const filled = filledIn(payload);
    const form = catalog.form(view.callback_id);
    const shortcut = catalog.shortcut(context.shortcut ?? '');
    const title = form?.title ?? shortcut?.shortcut.title ?? MODAL_TITLE;
    const argument = filled[FORM.textBlock]?.[0]?.trim() || (filled[FORM.choiceBlock]?.[0] ?? '');
    const complaint = form === undefined ? shortcut?.command.complaint(argument) : undefined;
    const errors =
      form?.complaints(filled) ?? (complaint === undefined ? {} : { [FORM.textBlock]: complaint });
    if (Object.keys(errors).length > 0) {
      await ack({ response_action: 'errors', errors: { ...errors } });
      return;
    }
    const waits = { title, context: view.private_metadata };
    const closes = form?.closes === true;
    // In a workspace without the app, only the acknowledgement itself can say so.
    const open = holdOpen(
      (action) => (action === undefined ? ack() : ack(action)),
      closes ? savingModal(waits) : loadingModal(waits, form?.busy),
      report,
    );
    const channelId = form?.channelOf?.(filled) ?? context.channelId;
    const who = {
      ...callerOfSubmission(payload),
      ...(channelId === undefined ? {} : { channelId }),
    };
    const caller = await find(who, undefined, (words) => open.show(messageModal(waits, words)));
    if (caller === undefined) return;
    if (!closes) await open.show(loadingModal(waits, form?.busy));
    const { workspace, workspaceId, userId } = caller;
    const client = workspace.slack;
    prefetch(workspaceId, userId);
    let frame = { title, context: JSON.stringify({ ...context, channelId }) };
    answerer.take({
      name: `form ${form === undefined ? (context.shortcut ?? 'unknown') : view.callback_id}`,
      workspaceId,
      userId,
      async work() {
        const { about = '', seen } = context;
        if (form !== undefined) {
          const answer = await form.run({ filled, about, seen }, caller, ifAllowed);
          if (!('saved' in answer)) return answer;
          return (await open.close()) ? undefined : answer.saved;
        }
        if (shortcut === undefined) return outdatedForm;
        const wanted = filled[FORM.notesBlock]?.[0] !== undefined;
        const notes = wanted ? await messageAddress(client, context) : undefined;
        if (notes === undefined) {
          const answer = await shortcut.command.run(argument, caller, ifAllowed);
          return wanted ? after(noNotes, answer) : answer;
        }
        frame = { title, context: JSON.stringify({ ...context, notes }) };
        return shortcut.command.run(argument, { ...caller, notes }, ifAllowed);
      },
      async deliver(message) {
        const shown = messageModal(frame, message);
        if (!(await open.show(shown))) await updateModal(client, view.id, shown);
      },
      // A form that stays open says by itself that it's saving.
      ...(closes ? {} : { meanwhile: stillBusy(shortcut?.command) }),
      after: () => form?.redraws !== undefined && drawHome(caller, form.redraws),
    });
    await open.acknowledged;
  });

  bolt.shortcut({ type: 'shortcut' }, async ({ ack, body }) => {
    await ack();
    const payload = read('shortcut', GlobalShortcutPayload, body);
    const shortcut = payload && catalog.globalShortcut(payload.callback_id);
    if (payload === undefined || shortcut === undefined) return;
    const caller = await find(callerNowhere(payload));
    if (caller === undefined) return;
    const { form } = shortcut;
    const frame = { title: form.title, context: '{}' };
    const { fill } = openLoading(caller.workspace.slack, payload.trigger_id, frame);
    answerer.take({
      name: `shortcut ${payload.callback_id}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      async work(settle) {
        const content = await shortcut.content(caller, ifAllowed);
        if (!('submit' in content)) return content;
        await settle();
        await fill(formModal(frame, form.callbackId, content));
        return undefined;
      },
      deliver: (message) => fill(messageModal(frame, message)),
      meanwhile: stillWorking,
    });
  });

  bolt.shortcut({ type: 'message_action' }, async ({ ack, body }) => {
    await ack();
    const payload = read('message shortcut', MessageShortcutPayload, body);
    if (payload === undefined) return;
    const caller = await find(callerOfShortcut(payload), payload.response_url);
    if (caller === undefined) return;
    const found = catalog.shortcut(payload.callback_id);
    answerer.take({
      name: `shortcut ${found === undefined ? 'unknown' : payload.callback_id}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      ...shortcutPlace(payload, caller, found, parts),
    });
  });

  bolt.options<'block_suggestion'>({}, async ({ ack, body }) => {
    const payload = read('search field', SuggestionPayload, body);
    const source = payload && catalog.suggestions(payload.action_id);
    if (payload === undefined || source === undefined) {
      await ack({ options: [] });
      return;
    }
    const late = new Promise<readonly Choice[]>((resolve) => {
      setTimeout(resolve, SUGGESTIONS_WITHIN_MS, [stillSearchingChoice]).unref();
    });
    const look = async () => {
      const caller = await find(callerNowhere(payload));
      return caller === undefined ? [] : source.find(payload.value, caller, ifAllowed);
    };
    const looked = look().catch((error: unknown) => {
      report(error);
      return [failedSearchChoice(error instanceof CobrowseError ? error : undefined)];
    });
    const choices = await Promise.race([looked, late]);
    const options = choices.map(({ text, value }) => ({
      text: { type: 'plain_text', text, emoji: false } as const,
      value,
    }));
    await ack({ options });
  });

  // Memory is enough: if another process draws the same Home tab again, that does no harm.
  const drawnFor = new LRUCache<string, true>({ ...atMost(MOST_EVENTS), ttl: REMEMBERED_MS });

  bolt.event('app_home_opened', async ({ body }) => {
    const payload = read('opening of the Home tab', HomeOpened, body);
    if (payload === undefined || drawnFor.has(payload.event_id)) return;
    drawnFor.set(payload.event_id, true);
    const viewer = { workspaceId: workspaceOfEvent(payload), userId: payload.event.user };
    const caller = await find(viewer);
    if (caller === undefined) return;
    if (payload.event.tab === 'home') drawHome(caller, 'show');
    greet(viewer);
  });
}
