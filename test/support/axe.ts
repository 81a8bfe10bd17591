import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const found = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** What axe-core finds wrong on a page, and whether it is wider than its window; the pages in its frames apart. */
export async function problemsOn(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe}; 0`);
  const seen: unknown = await page.evaluate(
    `axe.run(document, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  const violations = found
    .parse(seen)
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  const tooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  return tooWide === true ? [...violations, 'too wide'] : violations;
}

async function problemsIn(page: Page, colorScheme: 'light' | 'dark', at = ''): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  return (await problemsOn(page)).map((problem) => `${at}in ${colorScheme} colors: ${problem}`);
}

/** The same in light colors and in dark ones. */
export async function problemsInBothColors(page: Page): Promise<readonly string[]> {
  return [...(await problemsIn(page, 'light')), ...(await problemsIn(page, 'dark'))];
}

/**
 * Windows in which every page must do, in CSS pixels: a desk, a phone, the narrowest that WCAG 1.4.10 asks for. Each is
 * looked at in one of the colors, since what is wrong with those is wrong at any width.
 */
const WINDOWS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 320, colorScheme: 'light' },
] as const;

/** The same in each of these windows; it stays in the last one. */
export async function problemsInWindows(page: Page, height = 800): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { width, colorScheme } of WINDOWS) {
    await page.setViewportSize({ width, height });
    problems.push(...(await problemsIn(page, colorScheme, `at ${width} px `)));
  }
  return problems;
}
