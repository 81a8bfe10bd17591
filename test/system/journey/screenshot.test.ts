import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney } from './stage.ts';

const picture = new URL('../../../sandbox/page/screenshot.png', import.meta.url);
const sessionMs = 372_000;

/** Width and height out of a PNG's first chunk (www.w3.org/TR/png-3, 11.2.1). */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

describe.skipIf(!hasChromium)('the picture in the README', () => {
  let behindMs = sessionMs;
  const service = { now: () => new Date(Date.now() - behindMs) };
  const journey = shareJourney(useChromium(), { sandbox: { service } });

  // With UPDATE_SCREENSHOT=1 the picture is taken anew.
  it('shows a list of visitors and the summary of an ended session, in 300 KB', async () => {
    const { page, ask, watch, article, sandbox } = journey();
    const list = await ask('/cobrowse find jane');
    const view = await watch(list);
    await agreeIn(view);
    const surface = view.getByRole('group', { name: 'Jane Cooper’s page' });
    await surface.click();
    await view.getByRole('button', { name: 'Draw' }).click();
    await surface.dragTo(surface, { sourcePosition: { x: 300, y: 200 }, targetPosition: { x: 400, y: 260 } });
    await expect.poll(() => sandbox.service.sessions()[0]?.features_used).toEqual(['remote_cursor', 'draw']);
    behindMs = 0;
    await view.getByRole('button', { name: 'End session' }).click();
    const summary = article('Co-browsing session ended');
    await summary.waitFor();
    await page.mouse.move(1, 1);
    expect(await list.innerText()).toContain('2 customers matching jane');
    expect(await summary.innerText()).toMatch(
      /Jane Cooper with Alex Rivera · 6 min\s[^]*Tools used\s+pointer, drawing/,
    );
    if (process.env.UPDATE_SCREENSHOT === '1') await writeFile(picture, await page.screenshot());
    const png = await readFile(picture);
    expect(sizeOf(png)).toEqual([1280, 800]);
    expect(png.length).toBeLessThan(300 * 1024);
  });
});
