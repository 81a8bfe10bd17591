import { describe, expect, it } from 'vitest';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SAM, buttonsIn, personIn, readable } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';

const seed = [
  { short_id: 'jane', identities: ['Jane Cooper'], is_online: true, is_waiting_for_call: true, stays: true },
  { short_id: 'liam', identities: ['Liam O’Brien'], is_online: false },
  { short_id: 'zoe', identities: ['Zoe'], is_online: false },
];
const labels = (blocks: Parameters<typeof buttonsIn>[0]) =>
  buttonsIn(blocks).map(({ accessibility_label: label }) => label);

describe('I’m on it', () => {
  const clock = { ahead: 0 };
  const { sandbox, logLines } = checkedSandbox({ service: { seed }, now: () => Date.now() + clock.ahead });
  const person = (userId: string) => personIn(sandbox(), userId);

  it('is seen by colleagues in the list, on the card and in the Home tab', async () => {
    const list = await person(ALEX).type('/cobrowse find');
    const answer = await person(ALEX).pressFor(list, /^I’m on it: Jane/);
    expect(answer.text).toContain('You’re on it: Jane Cooper');
    expect(labels(answer.blocks)[0]).toContain('Watch the screen of Jane');
    for (const command of ['find', 'visitor jane']) {
      const seen = await person(SAM).type(`/cobrowse ${command}`);
      expect(seen.text).toContain('Waiting for help · Alex Rivera is on it');
      expect(labels(seen.blocks)).not.toContain('I’m on it: Jane Cooper');
    }
    expect(readable(await atHome(sandbox(), SAM).open())).toContain(
      'Waiting for help · Alex Rivera is on it',
    );
    const own = await person(ALEX).type('/cobrowse find');
    expect(own.text).toContain('Waiting for help · you’re on it');
    expect(labels(own.blocks)).toContain('I’m not on it: Jane Cooper');
  });

  it('tells who comes second who was first', async () => {
    const sam = person(SAM);
    clock.ahead += 10 * 60_000;
    const list = await sam.type('/cobrowse find');
    await person(ALEX).pressFor(await person(ALEX).type('/cobrowse find'), /^I’m on it: Jane/);
    const answer = await sam.pressFor(list, /^I’m on it: Jane/);
    expect(answer.text).toContain(`<@${ALEX}> is already on it: Jane Cooper.`);
  });

  it('ends when it is pressed again, and all of it is on record', async () => {
    clock.ahead += 5_000;
    const own = await person(ALEX).type('/cobrowse visitor jane');
    const answer = await person(ALEX).pressFor(own, /^I’m not on it/);
    expect(answer.text).toContain('You’re no longer on it: Jane Cooper');
    expect((await person(SAM).type('/cobrowse find')).text).not.toContain('on it');
    const audited = await person(ADA).type('/cobrowse audit on-it');
    expect(audited.text).toContain('was no longer on it: jane');
    expect(audited.text).toContain('someone else was on it');
    expect(logLines.filter((line) => line.includes('"action":"on-it"'))).toHaveLength(4);
  });

  it('is nothing for who waits no more', async () => {
    const list = await person(ALEX).type('/cobrowse find');
    const { headers } = await person(SAM).watch(await person(SAM).type('/cobrowse watch jane'));
    await sandbox().service.openWatchLink(headers.get('location') ?? '');
    const answer = await person(ALEX).pressFor(list, /^I’m on it: Jane/);
    expect(answer.text).toContain('In session with Sam Lee\nNot waiting any more.');
  });
});

describe('Tell me when online', () => {
  const clock = { ahead: 0 };
  const { sandbox } = checkedSandbox({
    storeUrl: storeInFile(),
    service: { seed },
    schedulerMs: 20,
    now: () => Date.now() + clock.ahead,
  });
  const direct = (words: string) =>
    personIn(sandbox(), ALEX).message(({ text, channel }) => channel.startsWith('D') && text.includes(words));

  it('is the first and only primary button of who isn’t there, before Watch', async () => {
    for (const command of ['visitor', 'watch']) {
      const { blocks } = await personIn(sandbox()).type(`/cobrowse ${command} liam`);
      const styles = buttonsIn(blocks).map(({ text, style }) => `${text.text}: ${style}`);
      expect(styles).toEqual(['Tell me when online: primary', 'Watch: undefined']);
    }
  });

  it('sends one direct message once the customer comes', async () => {
    const alex = personIn(sandbox());
    const answer = await alex.pressFor(await alex.type('/cobrowse visitor liam'), /^Tell me when online/);
    expect(answer.text).toContain('direct message when Liam O’Brien comes online');
    sandbox().service.setOnline('liam', true);
    clock.ahead += 61_000;
    const told = await direct('Liam O’Brien came online.');
    expect(labels(told.blocks)[0]).toBe('Watch the screen of Liam O’Brien');
    const audited = async () => (await personIn(sandbox(), ADA).type('/cobrowse audit online-notice')).text;
    await expect.poll(audited).toContain('was told that liam is online');
    expect(await audited()).toContain('asked to be told when liam comes online');
  });

  it('offers Watch at once where they came since the card was drawn, and can be canceled', async () => {
    const alex = personIn(sandbox());
    const card = await alex.type('/cobrowse visitor zoe');
    sandbox().service.setOnline('zoe', true);
    const there = await alex.pressFor(card, /^Tell me when online/);
    expect(labels(there.blocks)).toContain('Watch the screen of Zoe');
    sandbox().service.setOnline('zoe', false);
    const answer = await alex.pressFor(card, /^Tell me when online/);
    expect((await alex.pressFor(answer, /^Cancel/)).text).toContain('I won’t send you a message');
    expect((await alex.pressFor(answer, /^Cancel/)).text).toContain('nothing to cancel');
  });

  it('is neither offered to who may not watch, nor done for them', async () => {
    const kim = personIn(sandbox(), KIM);
    const drawn = await kim.type('/cobrowse visitor zoe');
    await writeSettings(sandbox(), { rules: { watch: { members: false, ids: [] } } });
    expect((await kim.pressFor(drawn, /^Tell me when online/)).text).toContain('don’t have permission');
    expect(labels((await kim.type('/cobrowse visitor zoe')).blocks)).not.toContain(
      'Tell me when online: Zoe',
    );
  });
});
