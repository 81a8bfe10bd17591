import { afterEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { agreeIn, openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

const policyOf = async (url: string) => (await fetch(url)).headers.get('content-security-policy');

describe.skipIf(!hasChromium)('the first minute in the sandbox', () => {
  const browser = useChromium();
  let journey: Journey;

  afterEach(() => journey.close());

  const summary = () => journey.page.getByRole('article').filter({ hasText: 'Co-browsing session ended' });

  it('leads from a message over find and Watch to Jane, who pays, and to the summary', async () => {
    journey = await openJourney(browser(), { sandbox: { slack: { tour: true } } });
    const { page, composer, opening } = journey;
    const coach = page.getByRole('complementary', { name: 'First steps' });
    await coach.getByRole('heading', { name: 'A message arrives' }).waitFor();
    expect(await page.getByRole('article').last().innerText()).toContain('The code on her page is 4821');
    await coach.getByRole('button', { name: 'Find her' }).click();
    await coach.getByRole('button', { name: 'Type it for me' }).click();
    await composer.press('Enter');
    await coach.getByRole('heading', { name: 'Watch' }).waitFor();
    const view = await opening(() =>
      page.getByRole('link', { name: 'Watch the screen of Jane Cooper' }).click(),
    );
    await coach.getByRole('heading', { name: 'You’re watching' }).waitFor();
    await agreeIn(view);
    const jane = view.frameLocator('.pane iframe');
    await jane.getByText('Tell your agent 4821').waitFor();
    const picture = view.frameLocator('#stage iframe');
    await jane.getByRole('button', { name: 'Pay' }).click();
    await picture.getByText('Something is missing').waitFor();
    // On a picture that is some seconds behind, nothing is done.
    await view.getByText('Live', { exact: true }).waitFor();
    const box = await picture.locator('#terms').boundingBox();
    await view.mouse.click((box?.x ?? 0) + 8, (box?.y ?? 0) + 8);
    await view.getByText('sees a frame around it').waitFor();
    await jane.getByRole('checkbox').check();
    await jane.getByRole('button', { name: 'Pay' }).click();
    await picture.getByRole('heading', { name: 'Thank you' }).waitFor();
    await view.getByRole('button', { name: 'End session' }).click();
    await summary().waitFor();
    expect(await summary().innerText()).toMatch(/Tools used\s+pointer/);
    await coach.getByRole('button', { name: 'Close', exact: true }).click();
    await coach.waitFor({ state: 'detached' });
  });

  it('is played by Jane herself where that is asked for', async () => {
    journey = await openJourney(browser(), { sandbox: { service: { story: true } } });
    const list = await journey.ask('/cobrowse 4821');
    const view = await journey.opening(() => list.getByRole('link', { name: /^Watch/ }).click());
    const picture = view.frameLocator('#stage iframe');
    await picture.getByText('Something is missing').waitFor();
    await view.getByText('Live', { exact: true }).waitFor();
    const box = await picture.locator('#terms').boundingBox();
    await view.mouse.click((box?.x ?? 0) + 8, (box?.y ?? 0) + 8);
    await picture.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(journey.sandbox.service.sessions()[0]).toMatchObject({
      features_used: ['remote_cursor'],
      went_live: true,
    });
  });

  it('shows the shop in no frame but the watch page’s, and the watch page in none', async () => {
    journey = await openJourney(browser());
    const { shop, service } = journey.sandbox;
    expect(await policyOf(`${shop.url}/checkout`)).toContain(`frame-ancestors ${service.url}`);
    expect(await policyOf(`${service.url}/`)).toContain("frame-ancestors 'none'");
  });
});
