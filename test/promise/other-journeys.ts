import { expect } from 'vitest';
import { START_FORM } from '../../src/views/action-ids.ts';
import { atHome, ADA } from '../home/at-home.ts';
import { alexInSupport, endedSession } from '../deliveries/ended-session.ts';
import { SECRETS } from '../deliveries/processes/real-app.ts';
import { webhooksOf } from '../deliveries/webhook-stage.ts';
import { RANDOM } from '../subscriptions/stage.ts';
import { ALEX, personIn, readable } from '../support/person.ts';
import type { WatchedWorld } from './watched-world.ts';

/** Pages of lists, details, and the choices beside Watch. */
export async function browse(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const list = await alex.type('/cobrowse find shop');
  await alex.pressFor(list, /^Details/);
  await alex.pressToReplace(list, /^More/);
  const chosen = await alex.choose(await alex.type('/cobrowse watch jane4821'), /view only/);
  const session = await world.service.openWatchLink(world.pageOf(chosen.headers.get('location') ?? ''));
  await world.service.endSession(session.id);
  await alex.pressToReplace(await alex.type('/cobrowse agent'), /^More sessions/);
}

/** What starts from a message or from nowhere. */
export async function startFromElsewhere(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  await alex.shortcut(await alex.say('I can take this one.'), 'look_up_agent', (view) =>
    readable(view.blocks).includes('alex@acme.com'),
  );
  await alex.shortcut(
    alex.existing(/stuck at checkout/),
    'stop_session',
    (view) => !readable(view.blocks).includes('takes a moment'),
  );
  await world.slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
  const form = await alex.modal(({ submit }) => submit === 'Continue');
  const place = { block_id: START_FORM.visitorBlock, action_id: 'visitor_search' };
  await world.slack.suggest({
    as: ALEX,
    source: { type: 'view', view_id: form.id },
    ...place,
    value: 'jane',
  });
  const visitor = { type: 'external_select', selected_option: { value: 'jane4821' } };
  const power = { type: 'radio_buttons', selected_option: { value: 'view' } };
  const state = {
    [START_FORM.visitorBlock]: { visitor_search: visitor },
    [START_FORM.powerBlock]: { [START_FORM.power]: power },
  };
  await world.slack.submit({ as: ALEX, view_id: form.id, state });
  await alex.modal(({ id, blocks }) => id === form.id && readable(blocks).includes('Jane Cooper'));
}

/** Summaries by subscription: set up, paused, tried again, ended. */
export async function subscribe(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  for (let number = 1; number <= 11; number += 1) {
    await alex.type(`/cobrowse subscribe #random tag:t${number}`);
  }
  await alex.pressToReplace(await alex.type('/cobrowse subscriptions'), /^More/);
  world.slack.archive({ channel: RANDOM });
  await alex.message(({ text }) => text.includes('is paused') && text.includes('number 1,'));
  const list = await alex.type('/cobrowse subscriptions');
  await alex.pressFor(list, /^Resume subscription 1/);
  await alex.pressFor(list, /^Remove subscription 1/);
  await alex.type('/cobrowse unsubscribe 2');
  await alex.type('/cobrowse digest daily 09:00');
}

/** Summaries that their channels did not take, on two pages: one is sent on its way again, which fails again, and dropped. */
export async function settleSummaries(world: WatchedWorld): Promise<void> {
  const home = atHome(world, ADA);
  const { secretKeys } = SECRETS;
  const webhooks = webhooksOf({ ...world, config: { secretKeys: [secretKeys[0] ?? ''] } });
  for (let number = 10; number <= 20; number += 1) {
    const grant = { ...alexInSupport, channelId: `C0GONE000${number}`, grantId: `gone-${number}` };
    await webhooks.send(endedSession(`gone-${number}`), { to: webhooks.address(grant) });
  }
  await expect.poll(async () => readable(await home.open())).toMatch(/And \d more\./);
  await home.turn(/^Next summaries$/);
  await home.turn(/^Previous summaries$/);
  const retried = await home.pressFor(/^Retry summary 1$/, /on its way again/);
  await world.slack.closeView({ as: ADA, view_id: retried.id });
  await expect.poll(async () => readable(await home.open())).toContain('Couldn’t deliver');
  const dropped = await home.pressFor(/^Drop summary 1$/, /will not be posted/);
  await world.slack.closeView({ as: ADA, view_id: dropped.id });
}

/** What is for admins: settings, deletions, the doctor, and the audit with its file, which holds all before it. */
export async function administer(world: WatchedWorld): Promise<void> {
  const home = atHome(world, ADA);
  await home.open();
  await home.refresh();
  const settings = await home.pressFor(/^Edit settings/, /No link grants more than/);
  await home.filledAfter(() => home.save(settings, { most_power: 'full', usual_power: 'point' }));
  await world.slack.closeView({ as: ADA, view_id: settings.id });
  const rule = await home.pressFor(/^Change: Who may see usage/, /Who may/);
  await home.filledAfter(() => home.save(rule, { who: 'members' }));
  const ada = personIn(world, ADA);
  await ada.type('/cobrowse doctor');
  await ada.pressToReplace(await ada.type('/cobrowse delete janepark'), /^Delete/);
  await ada.press(await ada.type('/cobrowse delete --offline'), /^Delete all/);
  const form = await ada.modal(({ submit }) => submit === 'Delete');
  const typed = { type: 'plain_text_input', value: 'DELETE' };
  await world.slack.submit({ as: ADA, view_id: form.id, state: { typed: { typed_value: typed } } });
  await ada.modal(({ blocks }) => readable(blocks).includes('will be gone'));
  const audit = await ada.type('/cobrowse audit');
  const older = await ada.pressToReplace(audit, /^More: older/);
  const sent = await ada.pressFor(older, /^Get the file/);
  if (!sent.text.includes('is in your direct messages')) throw new Error(`No file came: ${sent.text}`);
  await personIn(world).type('/cobrowse audit');
}
