import { expect } from 'vitest';
import { atHome, ADA } from '../../home/at-home.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { SECRETS } from '../outbox/real-app.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { RANDOM } from '../../subscriptions/stage.ts';
import { ALEX, KIM, SALES, SAM, SUPPORT, anotherLink, personIn, readable } from '../../support/person.ts';
import type { PageView } from '../../../sandbox/slack/page-api.ts';
import type { WatchedWorld } from './watched-world.ts';

const webhooksIn = (world: WatchedWorld) =>
  webhooksOf({ ...world, config: { secretKeys: [SECRETS.secretKeys[0]] } });
const closing = (world: WatchedWorld, as: string) => async (view: Promise<PageView>) =>
  world.slack.closeView({ as, view_id: (await view).id });

/** Pages of lists, details, and the choices beside Watch. */
async function browse(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const list = await alex.type('/cobrowse find shop');
  await alex.pickFor(list, /^Jane Cooper/);
  await alex.pressToReplace(await alex.pressToReplace(list, /^Next/), /^Previous/);
  const chosen = await anotherLink(
    await alex.choose(await alex.type('/cobrowse watch jane4821'), /view only/),
  );
  const session = await world.service.openWatchLink(world.pageOf(chosen.headers.get('location') ?? ''));
  await world.service.endSession(session.id);
  await alex.type('/cobrowse agent');
  await alex.pressToReplace(await alex.type('/cobrowse help'), /^All commands/);
  await alex.pressFor(await alex.type('/cobrowse nobody-of-this-name'), /^Help them/);
}

/** Searches that fail at first, each tried again by its button. */
async function searchAgain(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  for (const typed of ['jane', 'watch jane', 'visitor jane', 'stop jane']) {
    world.service.misbehave({ fail: { with: 503 } });
    const failed = await alex.type(`/cobrowse ${typed}`);
    world.service.misbehave({});
    const { text } = await alex.pressToReplace(failed, /^Retry/);
    expect(text).toMatch(/Jane Cooper|^Nobody matching jane/);
  }
  await alex.type('/cobrowse help jane cooper');
}

/** What starts from a message or from nowhere. */
async function startFromElsewhere(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  await alex.shortcut(await alex.say('I can take this one.'), 'look_up_agent', (view) =>
    readable(view.blocks).includes('alex@acme.com'),
  );
  await alex.shortcut(
    alex.existing(/stuck at checkout/),
    'stop_session',
    (view) => !readable(view.blocks).includes('Loading'),
  );
  await world.slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
  const form = await alex.modal(({ submit }) => submit === 'Continue');
  const place = { block_id: 'visitor', action_id: 'visitor_search' };
  await world.slack.suggest({
    as: ALEX,
    source: { type: 'view', view_id: form.id },
    ...place,
    value: 'jane',
  });
  const visitor = { type: 'external_select', selected_option: { value: 'jane4821' } };
  const access = { type: 'radio_buttons', selected_option: { value: 'view' } };
  const state = {
    visitor: { visitor_search: visitor },
    access: { value: access },
  };
  await world.slack.submit({ as: ALEX, view_id: form.id, state });
  await alex.modal(({ id, blocks }) => id === form.id && readable(blocks).includes('Jane Cooper'));
}

/** Summaries by subscription: set up, paused, tried again, ended. */
async function subscribe(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  for (let number = 1; number <= 11; number += 1) {
    // Two channels, since Slack takes one message a second in each.
    await alex.type(`/cobrowse subscribe ${number % 2 === 0 ? '#support' : '#random'} tag:t${number}`);
  }
  await alex.type('/cobrowse subscriptions');
  world.slack.archive({ channel: RANDOM });
  await alex.message(({ text }) => text.includes('are paused') && text.includes('Subscription 1:'));
  const list = await alex.type('/cobrowse subscriptions');
  await alex.pressFor(list, /^Resume subscription 1/);
  await alex.pressFor(list, /^Remove subscription 1/);
  await alex.type('/cobrowse unsubscribe 2');
  await alex.type('/cobrowse digest daily 09:00');
}

const isForm = ({ title, submit }: PageView, wanted: string) => title === wanted && submit !== undefined;

/** The same by form: one set up, and one changed. */
async function subscribeByForm(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const input = { type: 'conversations_select', selected_conversation: SUPPORT };
  const state = { channel: { value: input } };

  async function fill(wanted: string): Promise<void> {
    const { id } = await alex.modal((view) => isForm(view, wanted));
    await world.slack.submit({ as: ALEX, view_id: id, state });
    // It closes once it is saved, or says what came of it where that took longer.
    const isOpen = await world.slack.until(ALEX, ({ views }) => {
      const form = views.find((view) => view.id === id);
      if (form === undefined) return { is: false };
      const hasAnswer = form.submit === undefined && !readable(form.blocks).includes('Saving…');
      return hasAnswer ? { is: true } : undefined;
    });
    if (isOpen.is) await world.slack.closeView({ as: ALEX, view_id: id });
  }

  const offer = await alex.type('/cobrowse subscribe');
  await alex.press(offer, /^Set up summaries/);
  await fill('Set up summaries');
  await alex.press(offer, /^Set up a digest/);
  await fill('Set up a digest');
  await alex.press(offer, /^Customers waiting for help/);
  await fill('Customers waiting');
  await alex.press(await alex.type('/cobrowse subscriptions'), /^Edit subscription 3/);
  await fill('Edit subscription');
}

/** A customer who waits for help, and one who isn't there yet. */
async function waitForCustomers(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  world.service.addVisitor({
    short_id: 'waits1',
    identities: ['Wanda Waits'],
    is_online: true,
    is_waiting_for_call: true,
    stays: true,
  });
  world.service.addVisitor({ short_id: 'away1', identities: ['Awa Away'], is_online: false });
  await alex.pressFor(await alex.type('/cobrowse visitor waits1'), /^I’m on it/);
  const asked = await alex.pressFor(await alex.type('/cobrowse visitor away1'), /^Tell me when online/);
  await alex.pressFor(asked, /^Cancel/);
}

/** Summaries that their channels did not take, on two pages: one is sent on its way again, which fails again, and dropped. */
async function settleSummaries(world: WatchedWorld): Promise<void> {
  const home = atHome(world, ADA);
  const webhooks = webhooksIn(world);
  const close = closing(world, ADA);
  for (let number = 10; number <= 20; number += 1) {
    // Each is told to one of three, since Slack takes one message a second to each.
    const userId = [ALEX, SAM, KIM][number % 3] ?? ALEX;
    const link = { ...alexInSupport, userId, channelId: `C0GONE000${number}`, linkId: `gone-${number}` };
    await webhooks.send(endedSession(`gone-${number}`), { to: webhooks.address(link) });
  }
  await webhooks.send(endedSession('sales'), {
    to: webhooks.address({ ...alexInSupport, channelId: SALES, linkId: 'sales' }),
  });
  await expect.poll(async () => readable(await home.open())).toMatch(/And \d more\./);
  await close(home.pressFor(/^Retry summary 1$/, /Retrying/));
  await expect.poll(async () => readable(await home.open())).toContain('got the summary as a message');
  await close(home.pressFor(/^Discard summary 1$/, /won’t be posted/));
}

/** What somebody wants to do later, which is in its row and in their Slack, and nowhere else of ours. */
export const lineSecret = 'the-line-that-is-in-one-row';

/** Several follow-ups: one is put off, one is handed on, and one is done. */
async function followUpLater(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const webhooks = webhooksIn(world);
  const filled = { when: 'tomorrow', line: lineSecret };
  const close = closing(world, ALEX);
  for (let number = 1; number <= 6; number += 1) {
    const link = { ...alexInSupport, linkId: `follow-${number}` };
    await webhooks.send(endedSession(`follow-${number}`), { to: webhooks.address(link) });
    const summary = await alex.message(({ text }) => text.includes(`Agent of follow-${number}`));
    await close(alex.fillFollowUp(await alex.chooseFollowUp(summary), filled));
  }
  const list = await alex.type('/cobrowse followups');
  await alex.press(list, /^Later/);
  const later = await alex.modal((view) => isForm(view, 'Follow up later'));
  await close(alex.fillFollowUp(later, filled));
  await alex.press(list, /^Hand to/);
  const hand = await alex.modal((view) => isForm(view, 'Hand over follow-up'));
  await close(alex.fillFollowUp(hand, { person: SAM }));
  await personIn(world, SAM).message(({ text }) => text.includes('handed you a follow-up'));
  await alex.pressFor(await alex.type('/cobrowse followups'), /^Done/);
  const home = atHome(world, ALEX);
  await home.open();
  await close(home.pressFor(/^All follow-ups/, /Your follow-ups/));
  await close(home.pressFor(/^Sessions that ended/, /sessions?, newest first|1 session/));
}

/** What is for admins: settings, deletions, the doctor, and the audit with its file, which holds all before it. */
async function administer(world: WatchedWorld): Promise<void> {
  const home = atHome(world, ADA);
  await home.open();
  await home.refresh();
  const close = closing(world, ADA);
  await close(home.search('jane@acme.com', /Jane Cooper/));
  await close(home.pressFor(/^Start co-browsing/, /Customer/));
  await close(home.pressFor(/^View only by default/, /Saved\./));
  const settings = await home.pressFor(/^Change: Access/, /Channel override/);
  await home.saved(settings, { most_power: 'full', usual_power: 'point' });
  const rule = await home.pressFor(/^Change: Who can see usage/, /Who can/);
  await home.saved(rule, { who: 'members' });
  const tickets = await home.pressFor(/^Change: Ticket addresses/, /one per line/);
  await home.saved(tickets, { addresses: 'https://acme.zendesk.com/agent/tickets' });
  const names = ['One', 'Two', 'Three', 'Four', 'Five'];
  const lines = names.map((name) => `${name} https://crm.example/${name}/{id}`).join('\n');
  await home.saved(await home.pressFor(/^Change: Customer records/, /one per line/), { addresses: lines });
  const card = await personIn(world, ADA).type('/cobrowse visitor jane4821');
  for (const name of names) await personIn(world, ADA).press(card, new RegExp(`^${name}`));
  await home.press(/^Change: Customers’ names/);
  await close(
    world.slack.until(ADA, ({ views }) =>
      views.find(({ blocks }) => readable(blocks).includes('emails in files: on')),
    ),
  );
  const ada = personIn(world, ADA);
  await ada.type('/cobrowse doctor');
  world.service.misbehave({ fail: { with: 503 } });
  const failed = await ada.type('/cobrowse delete jane park');
  world.service.misbehave({});
  await ada.pressToReplace(await ada.pressToReplace(failed, /^Retry/), /^Delete/);
  await ada.press(await ada.type('/cobrowse delete --offline'), /^Delete all/);
  const form = await ada.modal(({ submit }) => submit === 'Delete');
  const typed = { type: 'plain_text_input', value: 'DELETE' };
  await world.slack.submit({ as: ADA, view_id: form.id, state: { typed: { value: typed } } });
  await ada.modal(({ blocks }) => readable(blocks).includes('is deleting'));
  // The pages of a list in words are shorter than a table.
  for (const method of ['response_url', 'chat.postEphemeral']) world.slack.fail(method, 'invalid_blocks');
  const earlier = await ada.pressToReplace(await ada.type('/cobrowse sessions'), /^More: older/);
  await ada.pressFor(earlier, /^Get the file/);
  await ada.type('/cobrowse audit csv');
  const audit = await ada.type('/cobrowse audit');
  const older = await ada.pressToReplace(audit, /^More: older/);
  await ada.pressFor(older, /^Get the same as JSON lines/);
  const sent = await ada.pressFor(older, /^Get the file/);
  if (!sent.text.includes('as a direct message')) throw new Error(`No file came: ${sent.text}`);
  await personIn(world).type('/cobrowse audit');
}

/** These look at what the journeys of journeys.ts left. */
export const afterJourneys = [browse, searchAgain, startFromElsewhere];

export const subscriptionJourneys = [subscribe, subscribeByForm, waitForCustomers];

/** The last one looks at what the others left. */
/** Everything that a model can call, and the card that it can have sent. */
async function askThroughSlackbot(world: WatchedWorld): Promise<void> {
  const home = atHome(world, ADA);
  await home.open();
  await home.press(/^Turn on Slackbot/);
  await world.slack.until(ADA, ({ views }) =>
    views.some(({ blocks }) => readable(blocks).includes('Slackbot: on')),
  );
  const listed = await world.slack.slackbot({ as: ALEX });
  for (const { name, inputSchema } of listed.ok ? listed.tools : []) {
    const args = Object.fromEntries(Object.keys(inputSchema.properties).map((key) => [key, 'jane']));
    const said = await world.slack.slackbot({ as: ALEX, tool: name, args });
    expect(said).toMatchObject({ ok: true, answer: { text: expect.not.stringContaining('dropped') } });
    world.note(`what Slackbot is told by ${name}`, JSON.stringify(said));
  }
  const direct = personIn(world, ALEX, 'D0ALEX00001');
  const card = await direct.message(
    ({ channel, ephemeral, text }) => channel === 'D0ALEX00001' && !ephemeral && text.includes('Jane Cooper'),
  );
  const opened = await anotherLink(await direct.watch(card));
  const session = await world.service.openWatchLink(world.pageOf(opened.headers.get('location') ?? ''));
  await world.service.endSession(session.id);
}

export const adminJourneys = [askThroughSlackbot, followUpLater, settleSummaries, administer];
