import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { acting, forAdmins, openedBy, together } from '../admin/home-buttons.ts';
import type { NewEntry } from '../audit/audit.ts';
import { Answered, type Viewer } from '../commands/rights.ts';
import { definePress, jsonText } from '../commands/command.ts';
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

interface Own {
  readonly addresses: WebhookAddresses;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly hostsFor: (workspaceId: string) => readonly string[];
  readonly setAside: SetAsideEvents;
  readonly wakeAll: () => void;
}

/** @throws Answered where there was nothing to change any more */
async function change(isDone: Promise<boolean>): Promise<void> {
  if (!(await isDone)) throw new Answered(noSuchAddress);
}

/** What a workspace's admins see and do about its webhooks: Home's section, its buttons and forms. */
export function createWebhooksAtHome(app: HomeApp, { addresses, sender, hostsFor, setAside, wakeAll }: Own) {
  const { prepare, record, now } = app;
  const right = forAdmins('webhooks');

  async function of(workspaceId: string): Promise<WebhooksNow> {
    const [all, counts] = await Promise.all([addresses.list(workspaceId), setAside.counts(workspaceId)]);
    return {
      addresses: all.map((address) => ({ ...address, setAside: counts.get(address.id) ?? 0 })),
      at: now(),
    };
  }

  const menu = async (workspaceId: string, first?: Part) => webhooksMenu(await of(workspaceId), first);

  /** @throws Answered where it was removed */
  async function addressOf({ workspaceId }: Viewer, id: string): Promise<WebhookAddress> {
    const address = await addresses.one({ workspaceId, id });
    if (address === undefined) throw new Answered(noSuchAddress);
    return address;
  }

  async function test(viewer: Viewer, id: string): Promise<Message> {
    const { workspaceId } = viewer;
    const address = await addressOf(viewer, id);
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
  }

  async function rotate(viewer: Viewer, id: string): Promise<Message> {
    const address = await addressOf(viewer, id);
    if (!(await addresses.isSealable(viewer.workspaceId))) return keyMissing;
    const secret = createWebhookSecret();
    await change(addresses.rotate(address, secret, prepare(entryOf(viewer, address, 'rotated'))));
    return secretRotated(address, secret);
  }

  async function remove(viewer: Viewer, id: string): Promise<Message> {
    const address = await addressOf(viewer, id);
    await change(addresses.remove(address, prepare(entryOf(viewer, address, 'removed'))));
    return menu(viewer.workspaceId, removedPart(address));
  }

  async function retry(viewer: Viewer, id: string): Promise<Message> {
    const address = await addressOf(viewer, id);
    await change(addresses.resume(address, prepare(entryOf(viewer, address, 'resumed'))));
    wakeAll();
    return menu(viewer.workspaceId, resumedPart(address));
  }

  async function listOf(address: WebhookAddress, first?: Part): Promise<Message> {
    const [shown, counts] = await Promise.all([
      setAside.latest(address),
      setAside.counts(address.workspaceId),
    ]);
    return setAsideList(address, shown, counts.get(address.id) ?? 0, first);
  }

  async function settle(act: 'retry' | 'drop', viewer: Viewer, [addressId, id]: EventName): Promise<Message> {
    const address = await addressOf(viewer, addressId);
    if (act === 'retry' && address.offAt !== undefined) return listOf(address, lines([switchedOff]));
    const { workspaceId, userId } = viewer;
    const detail = { act, delivery: id, host: address.host };
    const answer = await setAside[act](address, id, (outcome) =>
      prepare({ workspaceId, userId, action: 'delivery', outcome, detail }),
    );
    if (answer === 'retried') wakeAll();
    const waits = answer === 'retried' && isPaused(address, now());
    return listOf(address, lines([waits ? waitsForPaused : EVENT_ANSWERS[answer]]));
  }

  type Run = (viewer: Viewer, value: string) => Promise<Message>;
  const inModal = (actionId: string, title: string, run: Run, busy?: string) =>
    acting(actionId, title, right, run, busy);

  const inPlace = <Value>(
    actionId: string,
    value: z.ZodType<Value, string>,
    run: (viewer: Viewer, value: Value) => Promise<Message>,
  ) =>
    definePress({
      actionId,
      answer: 'replace',
      title: TITLE,
      redraws: 'renew',
      right,
      value,
      run: (about, viewer) => run(viewer, about),
    });
  const event = jsonText.pipe(EventName);

  const surface = together(
    inModal('home_webhooks', TITLE, ({ workspaceId }) => menu(workspaceId)),
    openedBy('home_add_webhook', createAddForm(app, addresses, hostsFor)),
    openedBy('home_edit_webhook', createEditForm(app, addresses)),
    inModal('home_test_webhook', 'Send a test', test, 'Sending a test…'),
    inModal('home_rotate_webhook', 'New secret', rotate),
    inModal('home_set_aside_webhooks', 'Set aside', async (viewer, id) =>
      listOf(await addressOf(viewer, id)),
    ),
    inPlace('home_remove_webhook', z.string(), remove),
    inPlace('home_resume_webhook', z.string(), retry),
    inPlace('home_retry_event', event, (viewer, name) => settle('retry', viewer, name)),
    inPlace('home_drop_event', event, (viewer, name) => settle('drop', viewer, name)),
  );
  return { of, surface };
}
