import type { App } from '@slack/bolt';
import type { HomeView, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Home } from '../home/home.ts';
import type { AdminForm } from '../home/admin-form.ts';
import type { Viewer } from '../home/viewer.ts';
import { failedHome } from '../views/home.ts';
import { HOME_ACTION } from '../views/home-ids.ts';
import { notice } from '../views/message.ts';
import { formModal, messageModal } from '../views/modal.ts';
import type { Answerer } from './answer.ts';
import { callerNowhere, workspaceOfEvent } from './callers.ts';
import { createHomeDeeds } from './home-deeds.ts';
import type { HomeDeed } from './home-deeds.ts';
import { EventPayload, PressPayload, SubmissionPayload, filledIn, readModalContext } from './payloads.ts';
import type { ReadPayload } from './read-payload.ts';
import { updateModal } from './reply.ts';

interface HomeListenerParts {
  readonly answerer: Answerer;
  readonly read: ReadPayload;
  readonly home: Home;
  readonly editSettings: AdminForm;
  readonly changeRule: AdminForm;
  /** Buttons that do something at once, by `action_id`. */
  readonly deeds: ReadonlyMap<string, HomeDeed>;
  /** Buttons that show another page of the same, by `action_id`. */
  readonly turns: ReadonlyMap<string, (viewer: Viewer, value: string) => void>;
}

/** An opening of the Home tab. Source: docs.slack.dev/reference/events/app_home_opened. */
const HomeOpened = EventPayload.extend({
  event_id: z.string(),
  event: z.object({ user: z.string(), tab: z.string() }),
});

/** Slack sends an event again at once, after one minute and after five. */
const REMEMBERED_MS = 10 * 60 * 1_000;
const MOST_EVENTS = 10_000;

const TITLE = 'Settings';
/** @param about what the form is about, for its submission */
const loading = (about: string) => messageModal(frameOf(TITLE, about), notice(['One moment.']));
const frameOf = (title: string, about: string, seen?: string) => ({
  title,
  context: JSON.stringify({ about, seen }),
});

/** The Home tab: its openings, its own buttons, and the form of the settings. */
export function listenForHome(app: App, parts: HomeListenerParts): void {
  const { answerer, read, home, editSettings, changeRule, deeds, turns } = parts;
  const formBehind = new Map<string, AdminForm>([
    [HOME_ACTION.editSettings, editSettings],
    [HOME_ACTION.changeRule, changeRule],
  ]);
  const formNamed = new Map([editSettings, changeRule].map((form) => [form.callbackId, form]));

  // In memory is enough: another process that draws the same Home once more does no harm.
  const seen = new LRUCache<string, true>({ max: MOST_EVENTS, ttl: REMEMBERED_MS });

  function draw(client: WebClient, viewer: Viewer, how: keyof Home = 'show'): void {
    const publish = (view: HomeView) => client.views.publish({ user_id: viewer.userId, view });
    answerer.take({
      name: 'home',
      ...viewer,
      async work() {
        await home[how](viewer, publish);
        return undefined;
      },
      deliver: async (failure) => void (await publish(failedHome(failure))),
    });
  }

  function openForm(client: WebClient, form: AdminForm, press: PressPayload): void {
    const viewer = callerNowhere(press);
    const [{ value: about }] = press.actions;
    // At once, since the trigger lives three seconds.
    const opened = client.views.open({ trigger_id: press.trigger_id, view: loading(about) });
    opened.catch(() => undefined);
    const fill = async (view: ModalView) => updateModal(client, (await opened).view?.id ?? '', view);
    answerer.take({
      name: 'home settings',
      ...viewer,
      async work() {
        const answer = await form.open(viewer, about);
        if ('refused' in answer) return answer.refused;
        await fill(formModal(frameOf(answer.title, about, answer.seen), form.callbackId, answer.form));
        return undefined;
      },
      deliver: (message) => fill(messageModal(frameOf(TITLE, about), message)),
    });
  }

  const takeDeed = createHomeDeeds({
    answerer,
    deeds,
    draw: (client, viewer) => draw(client, viewer, 'renew'),
  });

  app.event('app_home_opened', async ({ body, client }) => {
    const payload = read('opening of the Home tab', HomeOpened, body);
    if (payload?.event.tab !== 'home') return;
    const { event_id: eventId, event } = payload;
    const workspaceId = workspaceOfEvent(payload);
    if (seen.has(eventId)) return;
    seen.set(eventId, true);
    draw(client, { workspaceId, userId: event.user });
  });

  app.action(/^home_/, async ({ ack, body, client }) => {
    await ack();
    const payload = read('press', PressPayload, body);
    if (payload === undefined) return;
    const viewer = callerNowhere(payload);
    const [{ action_id: actionId, value }] = payload.actions;
    if (actionId === HOME_ACTION.refresh) draw(client, viewer);
    const turn = turns.get(actionId);
    if (turn !== undefined) {
      turn(viewer, value);
      draw(client, viewer, 'renew');
    }
    const form = formBehind.get(actionId);
    if (form !== undefined) openForm(client, form, payload);
    takeDeed(client, payload);
  });

  app.view(/^home_/, async ({ ack, body, client }) => {
    const payload = read('form', SubmissionPayload, body);
    const form = payload && formNamed.get(payload.view.callback_id);
    if (payload === undefined || form === undefined) {
      await ack();
      return;
    }
    const filled = filledIn(payload);
    const errors = form.complaints(filled);
    if (Object.keys(errors).length > 0) {
      await ack({ response_action: 'errors', errors: { ...errors } });
      return;
    }
    const { about = '', seen: shown } = readModalContext(payload.view.private_metadata);
    await ack({ response_action: 'update', view: loading(about) });
    const viewer = callerNowhere(payload);
    answerer.take({
      name: 'home settings saved',
      ...viewer,
      work: () => form.save(viewer, filled, about, shown),
      async deliver(message) {
        await updateModal(client, payload.view.id, messageModal(frameOf(TITLE, about), message));
        draw(client, viewer);
      },
    });
  });
}
