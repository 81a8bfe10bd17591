import { describe, expect, it } from 'vitest';

const { dayName, formatDate } = await import(new URL('../../../sandbox/page/time.js', import.meta.url).href);

const now = new Date(2026, 2, 10, 15, 30);
const seconds = (date: Date) => date.getTime() / 1000;

describe('dates on the sandbox page', () => {
  it('names near days', () => {
    expect(dayName(new Date(2026, 2, 10, 1), now)).toBe('Today');
    expect(dayName(new Date(2026, 2, 9, 23), now)).toBe('Yesterday');
    expect(dayName(new Date(2026, 2, 2), now)).toBe('Monday, March 2');
  });

  it("fills Slack's date tokens and leaves others", () => {
    const at = seconds(new Date(2026, 2, 10, 9, 5, 7));
    expect(formatDate(at, '{date_short_pretty} at {time}', now)).toMatch(/^Today at 9:05\sAM$/);
    expect(formatDate(at, '{date_num} {nothing}', now)).toBe('03/10/2026 {nothing}');
    expect(formatDate(seconds(new Date(2026, 2, 10, 15, 10)), '{ago}', now)).toBe('20 minutes ago');
  });
});
