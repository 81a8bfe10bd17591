import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { TYPED } from '../../commands/typed.ts';
import { askChannel, askColleague } from '../../team/asking.ts';
import { ALEX, SALES, SAM, anotherLink, personIn } from '../../support/person.ts';
import type { LinkForm, WatchedWorld } from './watched-world.ts';

const ended = 'Co-browsing session ended';
type Person = ReturnType<typeof personIn>;
type Shown = Parameters<Person['button']>[0];

/** Opens a Watch button's address as a browser does, and notes what came back beside the link. */
async function openWatch(
  world: WatchedWorld,
  person: Person,
  shown: Shown,
  label = /^Watch/,
): Promise<string> {
  const opened = await person.watch(shown, label);
  const response = await anotherLink(opened);
  if (response !== opened)
    world.note('question', JSON.stringify([...opened.headers]) + (await opened.text()));
  const location = response.headers.get('location') ?? '';
  const others = [...response.headers].filter(([name]) => name !== 'location');
  world.note(`page ${response.status}`, JSON.stringify(others) + (await response.text()));
  return location;
}

/** From the words in a channel to the summary there, or wherever the channel sends it. */
async function watchAndEnd(world: WatchedWorld, person: Person, shown: Shown): Promise<void> {
  const before = person.messages().filter(({ text }) => text.includes(ended)).length;
  const session = await world.service.openWatchLink(world.pageOf(await openWatch(world, person, shown)));
  await world.service.endSession(session.id);
  await world.slack.until(
    ALEX,
    ({ messages }) => messages.filter(({ text }) => text.includes(ended)).length > before,
  );
}

/** Find, Watch again and again, the looks of machines, the end of the session, and its webhook once more. */
async function findAndWatch(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const list = await alex.type('/cobrowse find jane@acme.com');
  await openWatch(world, alex, list);
  const url = alex.button(list, /^Watch/).url ?? '';
  for (const init of [
    { method: 'HEAD' },
    { headers: { 'sec-purpose': 'prefetch' } },
    { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } },
  ]) {
    const looked = await fetch(url, { ...init, redirect: 'manual' });
    world.note('a look', await looked.text());
  }
  const cutShort = await fetch(url.slice(0, -3), { redirect: 'manual' });
  world.note('page of an address cut short', await cutShort.text());
  await watchAndEnd(world, alex, list);
  for (const { url: webhook, body } of world.service.webhooks()) {
    const headers = { 'content-type': 'application/json' };
    const again = await fetch(webhook, { method: 'POST', headers, body: JSON.stringify(body) });
    world.note('answer to a webhook', await again.text());
    const nonsense = await fetch(webhook, { method: 'POST', headers, body: '{' });
    world.note('answer to nonsense', await nonsense.text());
  }
}

/** The service ends a session and sends its watch link back, wherever a session has room for it. */
async function sendLinksBack(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const offer = await alex.type('/cobrowse watch jane4821');
  const link = await openWatch(world, alex, offer);
  const session = await world.service.openWatchLink(world.pageOf(link));
  const webhook = world.service.requests.findLast(({ path }) => path.endsWith('/watch_url'));
  const { webhook_url: url } = z.object({ webhook_url: z.string() }).parse(webhook?.body);
  const body = {
    ...session,
    ended_at: new Date().toISOString(),
    agents: [{ id: 'agent_alex', name: `Alex ${link}`, agent_nickname: link, email: link }],
    call_name: link,
    features_used: [link, 'click'],
    formatted_length: link,
    public_video_url: link,
    quality_feedback: [{ rating: 5, comment: `Look: ${link}` }, link],
    source: link,
    team: { id: link },
    video_url: `${link}&replay=1#from-the-start`,
    watch_url: link,
  };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  world.note('answer to a link that came back', await answer.text());
  const { ts } = await alex.message(({ text }) => text.includes('Alex [link]'));
  // In its thread, or where the end came before the card was posted, in itself.
  await alex.message(
    ({ ts: own, thread_ts: thread = own, text }) => thread === ts && text.includes('5: Look: [link]'),
  );
  await world.service.endSession(session.id);
}

/** What a note says, which is in Slack and nowhere of ours. */
export const noteSecret = 'the-note-that-nobody-keeps';

/** Below the summary: watch again, an outcome, a note. */
export async function followUp(world: Pick<Sandbox, 'slack'>): Promise<void> {
  const alex = personIn(world);
  const summary = await alex.message(({ text }) => text.includes(ended));
  await alex.pressFor(summary, /^Watch again/);
  const form = await alex.chooseFollowUp(summary);
  await world.slack.closeView({ as: ALEX, view_id: form.id });
  const changed = await alex.message(
    ({ ts, text }) => ts === summary.ts && text.includes('Outcome: Follow up'),
  );
  await alex.addNote(changed, noteSecret);
  await alex.message(({ text }) => text.includes(noteSecret));
}

/** Why somebody is asked, which is in Slack and in the row that says who was asked. */
export const reasonSecret = 'the-reason-that-no-log-has';

export const channelReasonSecret = 'the-other-reason-that-no-log-has';

/** A colleague is asked to look, and opens a link of their own. */
async function askForHelp(world: WatchedWorld): Promise<void> {
  const shown = await personIn(world).type('/cobrowse visitor jane4821');
  await askColleague(world, { as: ALEX, shown, colleague: SAM, reason: reasonSecret });
  const asked = await personIn(world, SAM).message(({ text }) => text.includes(reasonSecret));
  const sam = personIn(world, SAM, asked.channel);
  const link = await openWatch(world, sam, asked);
  await sam.pressFor(asked, /^More options/);
  const session = await world.service.openWatchLink(world.pageOf(link));
  await world.service.endSession(session.id);
}

/** A channel is asked to look beside a session, and whoever takes it opens a link of their own. */
async function askTheChannel(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const own = await openWatch(world, alex, await alex.type('/cobrowse watch lm3'));
  const first = await world.service.openWatchLink(world.pageOf(own));
  const card = await alex.message(({ text }) => text.includes("asked to see Liam O'Brien’s screen"));
  await askChannel(world, { as: ALEX, shown: card, reason: channelReasonSecret });
  const post = await alex.message(({ text }) => text.includes(channelReasonSecret));
  const sam = personIn(world, SAM);
  const link = await openWatch(world, sam, await sam.pressFor(post, /^I’ll take it/));
  const second = await world.service.openWatchLink(world.pageOf(link));
  for (const { id } of [first, second]) await world.service.endSession(id);
  await alex.message(({ ts, text }) => ts === card.ts && text.includes('At the same time'));
}

/** A message shortcut through its form, and a session that is stopped from Slack. */
async function shortcutAndStop(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const results = await alex.shortcut(alex.existing(/stuck at checkout/), 'find_visitor', (view) =>
    JSON.stringify(view.blocks).includes('Jane Cooper'),
  );
  const session = await world.service.openWatchLink(world.pageOf(await openWatch(world, alex, results)));
  const question = await alex.type(`/cobrowse stop ${session.visitor_id}`);
  await alex.stop(() => alex.press(question, /^Stop/), 'to see what becomes of it');
  await alex.message(({ text }) => text.includes('Stopped by'));
}

/** A channel without the app: the summary comes as a direct message. */
async function watchFromSales(world: WatchedWorld): Promise<void> {
  const alex = personIn(world, ALEX, SALES);
  await watchAndEnd(world, alex, await alex.type('/cobrowse watch jane4821'));
}

/** Somebody pastes an address with a secret of the page in it. */
export const PASTED_SECRET = 'pasted-4242-token';

/** A proxy session, twice. */
async function startProxySession(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const offer = await alex.type(
    `/cobrowse proxy https://partner.example/start?code=${PASTED_SECRET} shop.example`,
  );
  for (let time = 0; time < 2; time += 1) {
    if ((await openWatch(world, alex, offer, /^Start/)) === '') throw new Error('No proxy link came.');
  }
}

/** All that can be asked beside, and what is no question at all. */
async function askEverything(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const further = ['agent @sam', 'watch nobody', 'wach jane', 'find <nobody>'];
  for (const words of [...TYPED.map(({ text }) => text), ...further]) await alex.type(`/cobrowse ${words}`);
  for (const path of [
    '/',
    '/watch/',
    '/watch/x',
    '/webhooks/session-end/x',
    '/healthz',
    '/readyz',
    '/slack/events',
  ]) {
    const answer = await fetch(`${world.publicUrl}${path}`);
    world.note(`page ${path}`, await answer.text());
  }
  const unsigned = await fetch(`${world.publicUrl}/slack/events`, { method: 'POST', body: 'payload={}' });
  world.note('answer to an unsigned request', await unsigned.text());
}

/** All of these that end well, in the order in which people do them. */
export const journeys = [
  findAndWatch,
  followUp,
  askForHelp,
  askTheChannel,
  shortcutAndStop,
  watchFromSales,
  sendLinksBack,
  startProxySession,
  askEverything,
];

/** The service answers with what is no link, Slack takes no answer, and in the end the service is gone. */
export async function failEverywhere(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const offer = await alex.type('/cobrowse watch jane4821');
  for (const form of ['refused', 'no-json'] satisfies LinkForm[]) {
    world.link.form = form;
    if ((await openWatch(world, alex, offer)) !== '') throw new Error(`The ${form} link was followed.`);
  }
  world.link.form = 'good';
  for (const how of [{ status: 500 }, 'lose-answer', { retryAfter: 1 }, 'used_url'] as const) {
    world.slack.fail('response_url', how);
    await alex.type('/cobrowse help');
  }
  world.slack.fail('views.open', 'expired_trigger_id');
  await alex.see(() =>
    world.slack.shortcut({
      as: ALEX,
      channel: offer.channel,
      message_ts: alex.existing(/stuck at checkout/).ts,
      callback_id: 'find_visitor',
    }),
  );
  for (const how of ['lose-answer', { status: 503 }, 'internal_error'] as const) {
    world.slack.fail('chat.postMessage', how);
    await watchAndEnd(world, alex, offer);
  }
  await world.service.close();
  await openWatch(world, alex, offer);
  await alex.type('/cobrowse find jane');
}
