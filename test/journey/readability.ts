import type { Locator } from 'playwright-core';
import { z } from 'zod';

/** What the browser says of one text: colors as CSS has them, the grounds from the text's own element to the root. */
const Seen = z.object({
  text: z.string(),
  color: z.string(),
  grounds: z.array(z.string()),
  sizePx: z.number(),
  weight: z.number(),
});

/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
type Color = readonly [red: number, green: number, blue: number, alpha: number];

const WHITE: Color = [255, 255, 255, 1];

function colorOf(css: string): Color {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, alpha];
}

function over(front: Color, back: Color): Color {
  const [red, green, blue, alpha] = front;
  const mixed = (one: number, other: number) => one * alpha + other * (1 - alpha);
  return [mixed(red, back[0]), mixed(green, back[1]), mixed(blue, back[2]), 1];
}

function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance (www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
function luminance([red, green, blue]: Color): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function contrast({ color, grounds }: z.infer<typeof Seen>): number {
  const ground = grounds.map(colorOf).reduceRight((back, front) => over(front, back), WHITE);
  const lights = [luminance(over(colorOf(color), ground)), luminance(ground)];
  return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
}

/** All text that is shown in a place, but for switched-off controls. */
async function textsIn(place: Locator): Promise<readonly z.infer<typeof Seen>[]> {
  const seen: unknown = await place.evaluate((root) => {
    const { getComputedStyle } = root.ownerDocument.defaultView;
    const texts = [];
    for (const element of root.querySelectorAll('*')) {
      const own = [...element.childNodes].filter((node) => node.nodeType === 3);
      const text = own.map((node) => node.textContent).join('');
      const isShown = element.checkVisibility({ visibilityProperty: true }) && element.offsetWidth !== 1;
      if (text.trim() === '' || !isShown || element.matches(':disabled')) continue;
      const grounds = [];
      for (let at = element; at !== null; at = at.parentElement)
        grounds.push(getComputedStyle(at).backgroundColor);
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      texts.push({ text, color, grounds, sizePx: Number.parseFloat(fontSize), weight: Number(fontWeight) });
    }
    return texts;
  });
  return z.array(Seen).min(1).parse(seen);
}

/** Texts fainter than WCAG 2.2 allows at level AA (1.4.3): a contrast of 4.5, or of 3 where the letters are large. */
export async function faintTexts(place: Locator): Promise<readonly string[]> {
  const texts = await textsIn(place);
  return texts.flatMap((seen) => {
    const isLarge = seen.sizePx >= 24 || (seen.sizePx >= 18.66 && seen.weight >= 700);
    const ratio = contrast(seen);
    return ratio < (isLarge ? 3 : 4.5) ? [`${seen.text.trim()}: ${ratio.toFixed(2)}`] : [];
  });
}
