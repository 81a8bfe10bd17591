import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { acting, formOf, opening } from '../admin/home-buttons.ts';
import { forAdmins } from '../admin/settings-list.ts';
import type { NewEntry } from '../audit/audit.ts';
import type { Viewer } from '../commands/rights.ts';
import { definePress, jsonText, type Surface } from '../commands/command.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import { lines, type Message, type Part } from '../messages/message.ts';
import type { App } from '../parts.ts';
import { isPaused, type WebhookAddress, type WebhookAddresses } from './addresses.ts';
import { testBody } from './bodies.ts';
import { createAddForm, createEditForm } from './form.ts';
import {
  addressUnreadable,
  keyMissing,
  noSuchAddress,
  removedPart,
  resumedPart,
  secretRotated,
  testResult,
  webhooksMenu,
  type WebhooksNow,
} from './messages.ts';
import { isTaken, type WebhookSender } from './send.ts';
import {
  EVENT_ANSWERS,
  EventName,
  setAsideList,
  switchedOff,
  waitsForPaused,
  type SetAsideEvents,
} from './set-aside.ts';
import { createWebhookSecret } from './sign.ts';

const TITLE = 'Webhooks';

const entryOf = ({ workspaceId, userId }: Viewer, { host }: WebhookAddress, outcome: string): NewEntry => ({
  workspaceId,
  userId,
  action: 'webhook',
  outcome,
  detail: { host },
});

type HomeApp = Pick<App, 'groupsOf' | 'prepare' | 'record' | 'now'>;

/** What buttons and forms in Home work on. */
interface Own {
  readonly addresses: WebhookAddresses;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly hostsFor: (workspaceId: string) => readonly string[];
  readonly setAside: SetAsideEvents;
  /** Makes all processes look for what is due. */
  readonly wakeAll: () => void;
}

/** What a workspace's admins see and do about its webhooks: Home's section, its buttons and forms. */
export function createWebhooksAtHome(app: HomeApp, { addresses, sender, hostsFor, setAside, wakeAll }: Own) {
  const { prepare, record, now } = app;
  const addForm = createAddForm(app, addresses, hostsFor);
  const editForm = createEditForm(app, addresses);
  const [adding, editing] = [formOf(addForm), formOf(editForm)];
  const right = forAdmins('webhooks');

  async function of(workspaceId: string): Promise<WebhooksNow> {
    const [all, counts] = await Promise.all([addresses.list(workspaceId), setAside.counts(workspaceId)]);
    return {
      addresses: all.map((address) => ({ ...address, setAside: counts.get(address.id) ?? 0 })),
      at: now(),
    };
  }

  const menu = async (workspaceId: string, first?: Part) => webhooksMenu(await of(workspaceId), first);

  /** Does something with the address whose id is the button's value. */
  const withAddress =
    (work: (viewer: Viewer, address: WebhookAddress) => Promise<Message>) =>
    async (viewer: Viewer, id: string): Promise<Message> => {
      const address = await addresses.one({ workspaceId: viewer.workspaceId, id });
      return address === undefined ? noSuchAddress : work(viewer, address);
    };

  const test = withAddress(async (viewer, address) => {
    const { workspaceId } = viewer;
    const opened = await addresses.open(address);
    if (opened?.url === undefined || opened.secrets === undefined)
      return (await addresses.isSealable(workspaceId)) ? addressUnreadable : keyMissing;
    const reply = await sender.send({
      workspaceId,
      url: opened.url.reveal(),
      id: `test-${randomUUID()}`,
      body: JSON.stringify(testBody(workspaceId, now())),
      secrets: opened.secrets,
    });
    if (isTaken(reply)) await addresses.worked(address);
    await record(entryOf(viewer, address, 'tested'));
    return testResult(address, reply);
  });

  const rotate = withAddress(async (viewer, address) => {
    if (!(await addresses.isSealable(viewer.workspaceId))) return keyMissing;
    const secret = createWebhookSecret();
    const isDone = await addresses.rotate(address, secret, prepare(entryOf(viewer, address, 'rotated')));
    return isDone ? secretRotated(address, secret) : noSuchAddress;
  });

  const remove = withAddress(async (viewer, address) => {
    const isDone = await addresses.remove(address, prepare(entryOf(viewer, address, 'removed')));
    return isDone ? menu(viewer.workspaceId, removedPart(address)) : noSuchAddress;
  });

  const retry = withAddress(async (viewer, address) => {
    const isDone = await addresses.resume(address, prepare(entryOf(viewer, address, 'resumed')));
    if (!isDone) return noSuchAddress;
    wakeAll();
    return menu(viewer.workspaceId, resumedPart(address));
  });

  async function listOf(address: WebhookAddress, first?: Part): Promise<Message> {
    const [shown, counts] = await Promise.all([
      setAside.latest(address),
      setAside.counts(address.workspaceId),
    ]);
    return setAsideList(address, shown, counts.get(address.id) ?? 0, first);
  }

  /** In the modal of the button. */
  const inPlace = (actionId: string, run: (viewer: Viewer, value: string) => Promise<Message>) =>
    definePress({
      actionId,
      answer: 'replace',
      title: TITLE,
      redraws: 'renew',
      right,
      value: z.string(),
      run: (value, viewer) => run(viewer, value),
    });

  const aboutEvent = (actionId: string, act: 'retry' | 'drop') =>
    definePress({
      actionId,
      answer: 'replace',
      title: TITLE,
      redraws: 'renew',
      right,
      value: jsonText.pipe(EventName),
      async run([addressId, id], { workspaceId, userId }) {
        const address = await addresses.one({ workspaceId, id: addressId });
        if (address === undefined) return noSuchAddress;
        if (act === 'retry' && address.offAt !== undefined) return listOf(address, lines([switchedOff]));
        const detail = { act, delivery: id, host: address.host };
        const entry = (outcome: string) =>
          prepare({ workspaceId, userId, action: 'delivery', outcome, detail });
        const answer = await setAside[act](address, id, entry);
        if (answer === 'retried') wakeAll();
        const waits = answer === 'retried' && isPaused(address, now());
        return listOf(address, lines([waits ? waitsForPaused : EVENT_ANSWERS[answer]]));
      },
    });

  const inModal = (actionId: string, title: string, run: ReturnType<typeof withAddress>, busy?: string) =>
    acting(actionId, title, () => right, run, busy);

  const surface: Surface = {
    forms: [adding, editing],
    presses: [
      acting(
        HOME_ACTION.webhooks,
        TITLE,
        () => right,
        ({ workspaceId }) => menu(workspaceId),
      ),
      opening(HOME_ACTION.addWebhook, addForm, adding),
      opening(HOME_ACTION.editWebhook, editForm, editing),
      inModal(HOME_ACTION.testWebhook, 'Send a test', test, 'Sending a test…'),
      inModal(HOME_ACTION.rotateWebhook, 'New secret', rotate),
      inModal(
        HOME_ACTION.setAsideWebhooks,
        'Set aside',
        withAddress((_viewer, address) => listOf(address)),
      ),
      inPlace(HOME_ACTION.removeWebhook, remove),
      inPlace(HOME_ACTION.resumeWebhook, retry),
      aboutEvent(HOME_ACTION.retryEvent, 'retry'),
      aboutEvent(HOME_ACTION.dropEvent, 'drop'),
    ],
  };
  return { of, surface };
}
