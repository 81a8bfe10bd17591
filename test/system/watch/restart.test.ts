import { describe, expect, it } from 'vitest';
import { openRealWorld, watchAsBrowser } from '../outbox/real-app.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, SAM, personIn, readable } from '../../support/person.ts';
import { formIn, linksMade, submit, watchOf } from '../../watch/opening.ts';

/** Slack's own three seconds can pass while the machine stands still. */
const PATIENT = { ackLimitMs: 45_000 };

async function answered(form: URL) {
  const { status, headers } = await submit(form);
  return { status, isLink: headers.has('location') };
}

describe.each(engines)('an app that is killed with SIGKILL and started again, in $engine', (engine) => {
  async function open() {
    const storeUrl = await engine.newUrl();
    const world = await openRealWorld({ slack: PATIENT, settings: async () => ({ STORE_URL: storeUrl }) });
    const app = { running: await world.start() };
    const restart = async () => {
      await app.running.kill();
      app.running = await world.start();
    };
    const links = () => linksMade(world).length;
    /** Alex has a link already, and somebody presses Watch. */
    async function question(visitorId: string, userId: string): Promise<URL> {
      const alex = personIn(world);
      await watchAsBrowser(alex, await alex.type(`/cobrowse watch ${visitorId}`));
      const person = personIn(world, userId);
      const answer = await watchAsBrowser(person, await person.type(`/cobrowse watch ${visitorId}`));
      return formIn(await answer.text(), answer.url);
    }
    return { world, restart, links, question };
  }

  it('gives no second link for an answer given before, and keeps an address closed that was opened too often', async () => {
    const { world, restart, links, question } = await open();
    const used = [await question('jane4821', SAM), await question('noah', ALEX)];
    const unused = await question('amara7', SAM);
    for (const form of used) expect(await answered(form)).toEqual({ status: 303, isLink: true });
    for (const form of used) expect(await answered(form)).toEqual({ status: 410, isLink: false });
    const { person: alex, offer, address } = await watchOf(world, 'priya55');
    await Promise.all(Array.from({ length: 30 }, () => fetch(address)));
    expect((await fetch(address)).status).toBe(410);

    const before = links();
    await restart();
    for (const form of used) expect(await answered(form)).toEqual({ status: 410, isLink: false });
    expect((await fetch(address)).status).toBe(410);
    expect(links()).toBe(before);
    expect((await submit(unused)).status).toBe(303);

    // Its owner's press gets through in Slack.
    const page: { answer?: Response } = {};
    const message = await alex.see(async () => {
      page.answer = await alex.watch(offer);
    });
    expect(page.answer?.status).toBe(410);
    expect(await page.answer?.text()).toContain('check Slack for a private message');
    expect(readable(message.blocks)).toContain('opened your Watch link for Priya Natarajan');
    const ready = await alex.pressToReplace(message, /^Get my link/);
    expect(alex.button(ready, /^Open the live view of Priya/).url).toMatch(/^http/);
    expect(links()).toBe(before + 2);
  });
});
