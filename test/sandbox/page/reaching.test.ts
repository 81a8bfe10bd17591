import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { tabTo } from '../../journey/stage.ts';
import { fullManifest } from '../slack/full-manifest.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';

const AXE = new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url);
const Found = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const home = {
  type: 'home',
  blocks: [
    { type: 'header', text: plain('Co-browsing') },
    { type: 'header', text: plain('Online now') },
  ],
};

describe.skipIf(!hasChromium)('the sandbox page without a mouse or without seeing it', () => {
  const browser = useChromium();
  let stage: Stage;

  beforeEach(async () => {
    stage = await openStage(browser(), { manifest: fullManifest });
    await stage.call('views.publish', { user_id: 'U0ALEX00001', view: home });
  });
  afterEach(() => stage.close());

  /** What axe finds against these rules, two of which it leaves out by itself. */
  async function problems(): Promise<readonly string[]> {
    const rules = ['heading-order', 'label-content-name-mismatch', 'bypass', 'page-has-heading-one'];
    const enabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]));
    const options = JSON.stringify({ runOnly: { type: 'rule', values: rules }, rules: enabled });
    await stage.page.evaluate(await readFile(AXE, 'utf8'));
    const { violations } = Found.parse(await stage.page.evaluate(`axe.run(document, ${options})`));
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
  }

  it('starts in the message field, and returns to it with one key from the top', async () => {
    const { page, composer } = stage;
    expect(await composer.evaluate((element) => element.matches(':focus'))).toBe(true);
    const skip = page.getByRole('button', { name: 'Skip to the message field' });
    await tabTo(page, skip, 'Shift+Tab');
    expect(await skip.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect((await skip.boundingBox())?.width).toBeGreaterThan(50);
    await page.keyboard.press('Enter');
    expect(await composer.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('has headings in order and names that hold what is read, in a channel and in the Home', async () => {
    expect(await problems()).toEqual([]);
    await stage.page.getByRole('link', { name: 'Co-browse' }).click();
    await stage.page.getByRole('heading', { name: 'Online now', level: 2 }).waitFor();
    expect(await problems()).toEqual([]);
  });
});
