import type { App as Bolt } from '@slack/bolt';
import type { HomeView } from '@slack/types';
import { z } from 'zod';
import type { Catalog } from '../commands/catalog.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { wordsAlone, type Choice } from '../commands/command.ts';
import type { Caller, IfAllowed, Presser, Viewer } from '../commands/rights.ts';
import type { Home, createHome } from '../home/home.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../logging/metrics.ts';
import {
  cobrowseFailureWords,
  failureMessage,
  installAgain,
  notInstalled,
  ofOtherWorkspace,
  outdatedButton,
  rightUnknownWords,
  unreadableRequest,
} from '../messages/failure-words.ts';
import { answerFollows, stillWorking, type Message } from '../messages/message.ts';
import { messageModal } from '../messages/modal.ts';
import type { App } from '../parts.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import type { createSubscriptions } from '../subscriptions/subscriptions.ts';
import { isPostedBy } from '../workspaces/web-client.ts';
import type { SlackConfig, Workspaces } from '../workspaces/workspaces.ts';
import { MODAL_TITLE, formPlace, pressPlace, replyPrivately } from './answer-places.ts';
import { createAnswerer } from './answer.ts';
import { takeForm } from './forms.ts';
import { takeShortcut } from './message-shortcuts.ts';
import {
  CommandPayload,
  GlobalShortcutPayload,
  MessageShortcutPayload,
  PressPayload,
  SubmissionPayload,
  SuggestionPayload,
  callerOf,
  callerOfCommand,
  callerOfShortcut,
  createPayloadReader,
  presserOf,
} from './payloads.ts';

export interface Listening {
  readonly log: Log;
  readonly config: SlackConfig;
  readonly workspaces: Pick<Workspaces, 'find' | 'check'>;
  readonly metrics: Pick<Metrics, 'answers' | 'refusals' | 'acknowledgements'>;
  readonly newReference: () => string;
  readonly catalog: Catalog;
  readonly ifAllowed: IfAllowed;
  readonly home: Pick<ReturnType<typeof createHome>, 'tab' | 'failed' | 'firstRun'>;
  /** Hears what happens to channels, at least once and in any order. */
  readonly changes: ReturnType<typeof createSubscriptions>['channels'];
}

/** Slack waits 3 s for options, the way there and back included; after this the search field says that it takes longer. */
export const SUGGESTIONS_WITHIN_MS = 2_000;

/** Whom a request is from that can't be read otherwise, and where Slack left an address to reply to. */
const Reachable = z.object({
  response_url: z.url().optional().catch(undefined),
  team: z.object({ id: z.string() }).optional().catch(undefined),
  user: z.object({ id: z.string() }).catch({ id: '' }),
});

type Placed = Pick<Caller, 'workspace'>;
type EdgeApp = Parameters<typeof createAnswerer>[0] & Pick<App, 'slackAgent'>;

export type Edge = ReturnType<typeof createEdge>;

export function createEdge(app: EdgeApp, own: Listening) {
  const { log, workspaces, home, metrics, newReference } = own;
  const answerer = createAnswerer(app, {
    log,
    newReference,
    report: (name, outcome) => metrics.answers.inc({ name, outcome }),
  });
  /** Of failures for which Slack shows no words of ours. */
  const report = (error: unknown) => log.warn({ err: error }, 'a search or an answer in Slack failed');

  /** Where Slack left an address to reply to, or else in a direct message. */
  const tell = ({ workspaceId, userId }: Viewer, words: Message, responseUrl?: string): Promise<unknown> =>
    responseUrl === undefined
      ? app.showPrivately({ workspaceId, userId }, words)
      : replyPrivately({ workspace: app, responseUrl, userId }, words).catch(report);

  /** In words if the app isn't installed there, or if we can't find out. */
  async function look<Who extends Viewer>(who: Who): Promise<(Who & Placed) | Message> {
    const { workspaceId } = who;
    try {
      const workspace = await workspaces.find(workspaceId);
      if (workspace !== undefined) return { ...who, workspace };
      log.warn({ workspaceId }, 'asked in a workspace where the app is not installed');
      return ((await app.mustReinstall(workspaceId)) ? installAgain : notInstalled)(app.installUrl);
    } catch (error) {
      report(error);
      return failureMessage(rightUnknownWords(new RightUnknownError(error)));
    }
  }

  /** Undefined where `look` finds nobody, once that is said. */
  async function find<Who extends Viewer>(
    who: Who,
    say: (words: Message) => Promise<unknown> = (words) => tell(who, words),
  ): Promise<(Who & Placed) | undefined> {
    const found = await look(who);
    if (!('blocks' in found)) return found;
    await say(found);
    return undefined;
  }

  async function sayUnreadable(body: unknown): Promise<void> {
    const { data } = Reachable.safeParse(body);
    if (data !== undefined) await tell(callerOf(data), unreadableRequest, data.response_url);
  }

  /** Publishes one person's Home tab: first with a skeleton, or replacing what is there. */
  function drawHome(caller: Caller, how: keyof Home): void {
    const { workspace, workspaceId, userId } = caller;
    const publish = (view: HomeView) => workspace.slack.views.publish({ user_id: userId, view });
    answerer.take(caller, {
      name: 'home',
      async work() {
        await home.tab[how]({ workspaceId, userId }, publish);
        return undefined;
      },
      deliver: async (failure) => void (await publish(home.failed(failure))),
    });
  }

  const read = createPayloadReader(log);
  return { ...own, answerer, read, report, tell, look, find, sayUnreadable, drawHome };
}

function takeCommand(
  { catalog, ifAllowed, answerer }: Edge,
  { text, response_url: responseUrl }: z.infer<typeof CommandPayload>,
  caller: Caller,
): void {
  const { command, run } = catalog.asked(text);
  answerer.take(caller, {
    name: `command ${command.name}`,
    work: () => run(caller, ifAllowed),
    deliver: (message) => replyPrivately({ ...caller, responseUrl }, message),
    meanwhile: answerFollows,
  });
}

async function takePress(
  { catalog, ifAllowed, answerer, drawHome }: Edge,
  payload: PressPayload,
  presser: Presser,
): Promise<void> {
  const { view, message } = payload;
  const [{ action_id: actionId, block_id: blockId, value }] = payload.actions;
  const isOwn = await isPostedBy(presser.workspace, view?.callback_id ?? blockId, message?.bot_id);
  const press = isOwn ? catalog.press(actionId) : undefined;
  const name = `press ${press === undefined ? 'unknown' : actionId}`;
  const opens = press?.opens;
  if (press !== undefined && opens !== undefined && opens.isFor?.(value) !== false) {
    const place = formPlace(payload, presser, { answer: press.answer, opens }, ifAllowed);
    answerer.take(presser, { name, ...place, meanwhile: stillWorking });
    return;
  }
  const isAdded = view === undefined && press?.answer !== 'replace';
  const { deliver, opened } = pressPlace(payload, presser, press);
  answerer.take(presser, {
    name,
    async work() {
      if (press === undefined) return isOwn ? outdatedButton : ofOtherWorkspace;
      return press.run(value, { ...presser, opened }, ifAllowed);
    },
    deliver,
    meanwhile: press?.needsAnswer === false ? undefined : isAdded ? answerFollows : stillWorking,
    after: () => press?.redraws !== undefined && drawHome(presser, press.redraws),
  });
}

function takeGlobalShortcut(
  { catalog, ifAllowed, answerer }: Edge,
  payload: z.infer<typeof GlobalShortcutPayload>,
  caller: Caller,
): void {
  const { answer, opens } = catalog.globalShortcut(payload.callback_id)?.press ?? {};
  if (answer === undefined || opens === undefined) return;
  const place = formPlace(payload, caller, { answer, opens }, ifAllowed);
  answerer.take(caller, { name: `shortcut ${payload.callback_id}`, ...place, meanwhile: stillWorking });
}

/** Never rejects. */
async function choicesFor(edge: Edge, body: unknown): Promise<readonly Choice[]> {
  const payload = edge.read('search field', SuggestionPayload, body);
  const source = payload && edge.catalog.suggestions(payload.action_id);
  if (payload === undefined || source === undefined) return [];
  const late = new Promise<readonly Choice[]>((resolve) => {
    const searching = wordsAlone('Still searching… Type another letter to ask again.');
    setTimeout(resolve, SUGGESTIONS_WITHIN_MS, [searching]).unref();
  });
  const look = async () => {
    const caller = await edge.find(callerOf(payload));
    const isOwn = caller && (await isPostedBy(caller.workspace, payload.view?.callback_id ?? ''));
    if (isOwn !== true) return [];
    const found = await edge.ifAllowed(source, payload.value, caller);
    return 'blocks' in found ? [] : found;
  };
  const looked = look().catch((error: unknown) => {
    edge.report(error);
    const failed = error instanceof CobrowseError && cobrowseFailureWords(error).text;
    return [wordsAlone(failed || 'I couldn’t search for that. Change what you typed to try again.')];
  });
  return Promise.race([looked, late]);
}

/** Each listener acknowledges first (a form once its workspace is found), and leaves the work to the answerer. */
export function listenForInteractions(bolt: Bolt, edge: Edge): void {
  const { read, find, tell } = edge;

  const on =
    <Payload extends { readonly type?: string; readonly response_url?: string }, Who extends Viewer>(
      kind: string,
      schema: z.ZodType<Payload>,
      whoOf: (payload: Payload) => Who,
      take: (edge: Edge, payload: Payload, who: Who & Placed) => unknown,
    ) =>
    async ({ ack, body }: { readonly ack: () => Promise<void>; readonly body: unknown }): Promise<void> => {
      await ack();
      const payload = read(kind, schema, body);
      if (payload === undefined) return edge.sayUnreadable(body);
      const viewer = whoOf(payload);
      const who = await find(viewer, (words) => tell(viewer, words, payload.response_url));
      if (who !== undefined) await take(edge, payload, who);
    };

  bolt.command(/.*/, on('command', CommandPayload, callerOfCommand, takeCommand));
  // Without a pattern, since Bolt fails on an id that isn't text before we see it.
  bolt.action({}, on('press', PressPayload, presserOf, takePress));
  bolt.shortcut({ type: 'shortcut' }, on('shortcut', GlobalShortcutPayload, callerOf, takeGlobalShortcut));
  bolt.shortcut(
    { type: 'message_action' },
    on('message shortcut', MessageShortcutPayload, callerOfShortcut, takeShortcut),
  );
  bolt.view({}, async ({ ack, body }) => {
    const payload = read('form', SubmissionPayload, body);
    if (payload !== undefined)
      return takeForm(edge, payload, (action) => (action === undefined ? ack() : ack(action)));
    const view = messageModal({ title: MODAL_TITLE, context: '' }, unreadableRequest);
    await ack({ response_action: 'update', view });
  });
  bolt.options<'block_suggestion'>({}, async ({ ack, body }) => {
    const choices = await choicesFor(edge, body);
    const options = choices.map(({ text, value }) => ({
      text: { type: 'plain_text', text, emoji: false } as const,
      value,
    }));
    await ack({ options });
  });
}
