import { SAM, personIn } from '../../support/person.ts';
import type { WatchedWorld } from './watched-world.ts';

type Person = ReturnType<typeof personIn>;

/** Opens the address as from a phone of which Slack hears nothing, until the message comes that brings the link. */
async function sendToSlack(world: WatchedWorld, person: Person, address: string) {
  const page = await fetch(address);
  world.note(`page ${page.status}`, JSON.stringify([...page.headers]) + (await page.text()));
  return person.see(async () => {
    const sent = await fetch(address, { method: 'POST' });
    world.note(`page ${sent.status}`, await sent.text());
  });
}

/** A link to a screen and one to a proxy session, both without a press. */
export async function linksWithoutPress(world: WatchedWorld): Promise<void> {
  const alex = personIn(world);
  const watch = alex.button(await alex.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
  const offer = await alex.type('/cobrowse proxy https://partner.example/start');
  const proxy = alex.button(offer, /^Start/).url ?? '';
  await alex.pressToReplace(await sendToSlack(world, alex, watch), /^Get my link/);
  await alex.pressToReplace(await sendToSlack(world, alex, proxy), /^Get my link/);
}

/** Joins who was given a link before, on the page and in Slack; then somebody asks for one more. */
export async function joinSomebody(world: WatchedWorld): Promise<void> {
  const sam = personIn(world, SAM);
  const offer = await sam.type('/cobrowse watch jane4821');
  const address = sam.button(offer, /^Watch/).url ?? '';
  const question = await (await sam.watch(offer)).text();
  const action = /action="([^"]+)"/.exec(question)?.[1] ?? '';
  const joined = await fetch(new URL(action, address), { method: 'POST', redirect: 'manual' });
  if (joined.status !== 303) throw new Error(`No link came: ${joined.status}`);
  const asked = await sam.pressToReplace(await sendToSlack(world, sam, address), /^Get my link/);
  await sam.pressToReplace(asked, /^Open another/);
  const alex = personIn(world);
  // Whose phone is known by now.
  await alex.chooseToReplace(await alex.type('/cobrowse watch noah'), /^Watch: /);
}
