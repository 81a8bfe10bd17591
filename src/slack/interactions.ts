import type { App as Bolt } from '@slack/bolt';
import type { HomeView } from '@slack/types';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Caller, IfAllowed, Viewer } from '../commands/rights.ts';
import type { Catalog } from '../commands/catalog.ts';
import { failedSearchChoice, stillSearchingChoice, type Choice } from '../commands/command.ts';
import type { Home } from '../home/home.ts';
import type { Log } from '../logging/log.ts';
import type { App } from '../parts.ts';
import {
  failureMessage,
  notInstalled,
  ofOtherWorkspace,
  outdatedButton,
  rightUnknownWords,
  unreadableRequest,
} from '../messages/failure-words.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import { answerFollows, stillWorking, type Message } from '../messages/message.ts';
import { formModal, messageModal } from '../messages/modal.ts';
import { isPostedBy } from '../workspaces/web-client.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { formPlace, MODAL_TITLE, openLoading, pressPlace, replyPrivately } from './answer-places.ts';
import type { Answerer } from './answer.ts';
import { listenForForms, type FindCaller } from './forms.ts';
import { shortcutPlace } from './message-shortcuts.ts';
import {
  callerNowhere,
  callerOfCommand,
  callerOfShortcut,
  CommandPayload,
  createPayloadReader,
  EventPayload,
  GlobalShortcutPayload,
  MessageShortcutPayload,
  presserOf,
  PressPayload,
  SuggestionPayload,
  workspaceOfEvent,
} from './payloads.ts';

export interface InteractionParts {
  readonly log: Log;
  readonly catalog: Catalog;
  /** Undefined if the app isn't installed. */
  readonly workspaceOf: (workspaceId: string) => Promise<Workspace | undefined>;
  readonly ifAllowed: IfAllowed;
  readonly answerer: Answerer;
  readonly home: {
    readonly tab: Home;
    /** The Home tab where it couldn't be gathered. */
    readonly failed: (why: Message) => HomeView;
  };
  /** Greets a person who opened the app, unless they've been greeted. Returns immediately. */
  readonly greet: (viewer: Viewer) => void;
}

/** Slack waits 3 s for options, the way there and back included; after this the search field says that it takes longer. */
export const SUGGESTIONS_WITHIN_MS = 2_000;

const Answerable = z.object({ response_url: z.url() });
/** Whom a request is from that can't be read otherwise. */
const Reachable = z.object({
  team: z.object({ id: z.string() }).nullish().catch(undefined),
  user: z.object({ id: z.string(), team_id: z.string().optional().catch(undefined) }),
  trigger_id: z.string().catch(''),
  view: z
    .object({ type: z.string(), app_installed_team_id: z.string().nullish().catch(undefined) })
    .optional()
    .catch(undefined),
});

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
export function listenForInteractions(
  bolt: Bolt,
  app: Pick<App, 'installUrl' | 'isOwnBot' | 'slackAgent'>,
  parts: InteractionParts,
): void {
  const { log, catalog, workspaceOf, ifAllowed, answerer, home, greet } = parts;
  const read = createPayloadReader(log);
  /** Of failures for which Slack shows no words of ours. */
  const report = (error: unknown) => log.warn({ err: error }, 'a search or an answer in Slack failed');

  const find: FindCaller = async (who, responseUrl, show) => {
    const { workspaceId, userId } = who;
    let words: Message;
    try {
      const workspace = await workspaceOf(workspaceId);
      if (workspace !== undefined) return { ...who, workspace };
      log.warn({ workspaceId }, 'asked in a workspace where the app is not installed');
      words = notInstalled(app.installUrl);
    } catch (error) {
      report(error);
      words = failureMessage(rightUnknownWords(new RightUnknownError(error)));
    }
    const reply = { workspace: app, userId, replace: false };
    if (responseUrl !== undefined) await replyPrivately({ ...reply, responseUrl }, words).catch(report);
    await show?.(words);
    return undefined;
  };

  /** Says in a modal, or else directly, that a request can't be read. */
  async function showUnreadable(body: unknown): Promise<void> {
    const { data } = Reachable.safeParse(body);
    if (data === undefined) return;
    const { workspaceId, userId } = callerNowhere(data);
    const client = (await workspaceOf(workspaceId))?.slack;
    const view = messageModal({ title: MODAL_TITLE, context: '{}' }, unreadableRequest);
    const opening = { trigger_id: data.trigger_id, view };
    await (data.view?.type === 'modal' ? client?.views.push(opening) : client?.views.open(opening))?.catch(
      () => client?.chat.postMessage({ channel: userId, ...unreadableRequest }),
    );
  }

  /** Says that a request can't be read: where Slack left an address to reply to, or else in a modal. */
  async function sayUnreadable(body: unknown): Promise<void> {
    const { data } = Answerable.safeParse(body);
    if (data === undefined) return showUnreadable(body).catch(report);
    const reply = { workspace: app, userId: '', replace: false, responseUrl: data.response_url };
    await replyPrivately(reply, unreadableRequest).catch(report);
  }

  /** Publishes one person's Home tab: first with a skeleton, or replacing what is there. */
  function drawHome({ workspace, workspaceId, userId }: Caller, how: keyof Home): void {
    const viewer = { workspaceId, userId };
    const publish = (view: HomeView) => workspace.slack.views.publish({ user_id: userId, view });
    answerer.take({
      name: 'home',
      ...viewer,
      async work() {
        await home.tab[how](viewer, publish);
        return undefined;
      },
      deliver: async (failure) => void (await publish(home.failed(failure))),
    });
  }

  bolt.command(/.*/, async ({ ack, body }) => {
    await ack();
    const payload = read('command', CommandPayload, body);
    if (payload === undefined) return sayUnreadable(body);
    const { text, response_url: responseUrl, channel_id: channelId } = payload;
    const caller = await find(callerOfCommand(payload), responseUrl);
    if (caller === undefined) return;
    const { workspace, workspaceId, userId } = caller;
    const reply = { workspace, responseUrl, userId, channelId, replace: false };
    const { command, run } = catalog.asked(text);
    answerer.take({
      name: `command ${command.name}`,
      workspaceId,
      userId,
      work: () => run(caller, ifAllowed),
      deliver: (message) => replyPrivately(reply, message),
      meanwhile: answerFollows,
    });
  });

  listenForForms(bolt, { catalog, ifAllowed, answerer, read, find, drawHome, report });

  // Without a pattern, since Bolt fails on an id that isn't text before we see it.
  bolt.action({}, async ({ ack, body }) => {
    await ack();
    const payload = read('press', PressPayload, body);
    if (payload === undefined) return sayUnreadable(body);
    const [{ action_id: actionId, block_id: blockId, value }] = payload.actions;
    const presser = await find(presserOf(payload), payload.response_url);
    if (presser === undefined) return;
    const { workspace, workspaceId, userId } = presser;
    const isOwn = await isPostedBy(workspace, payload.view?.callback_id ?? blockId, payload.message?.bot_id);
    const press = isOwn ? catalog.press(actionId) : undefined;
    const asked = { name: `press ${press === undefined ? 'unknown' : actionId}`, workspaceId, userId };
    if (press?.opens !== undefined && press.opens.isFor?.(value) !== false) {
      const place = formPlace(payload, presser, press.opens, press.answer, ifAllowed);
      answerer.take({ ...asked, ...place, meanwhile: stillWorking });
      return;
    }
    const isQuiet = press?.needsAnswer === false;
    const isAdded = payload.view === undefined && press?.answer !== 'replace';
    const unknown = isOwn ? outdatedButton : ofOtherWorkspace;
    const place = { payload, workspace, press, isQuiet };
    const { work, deliver } = pressPlace(place, async (opened) =>
      press === undefined ? unknown : press.run(value, { ...presser, opened }, ifAllowed),
    );
    answerer.take({
      ...asked,
      work,
      deliver,
      meanwhile: isQuiet ? undefined : isAdded ? answerFollows : stillWorking,
      after: () => press?.redraws !== undefined && drawHome(presser, press.redraws),
    });
  });

  bolt.shortcut({ type: 'shortcut' }, async ({ ack, body }) => {
    await ack();
    const payload = read('shortcut', GlobalShortcutPayload, body);
    const shortcut = payload && catalog.globalShortcut(payload.callback_id);
    if (payload === undefined) return sayUnreadable(body);
    if (shortcut === undefined) return;
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
    if (payload === undefined) return sayUnreadable(body);
    const caller = await find(callerOfShortcut(payload), payload.response_url);
    if (caller === undefined) return;
    const found = catalog.shortcut(payload.callback_id);
    answerer.take({
      name: `shortcut ${found === undefined ? 'unknown' : payload.callback_id}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      ...shortcutPlace(payload, caller, found, ifAllowed, app.isOwnBot),
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
      const isOwn = caller && (await isPostedBy(caller.workspace, payload.view?.callback_id ?? ''));
      return isOwn !== true ? [] : source.find(payload.value, caller, ifAllowed);
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
  // `max` would take the memory for all of them at once.
  const drawnFor = new LRUCache<string, true>({
    maxSize: MOST_EVENTS,
    sizeCalculation: () => 1,
    ttl: REMEMBERED_MS,
  });

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
