import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import { linkCard } from '../../src/sessions/link-card.ts';
import { shortSummary, summary, summaryDetail } from '../../src/sessions/summary.ts';

const content = {
  endId: 'end1',
  visitorId: 'jane4821',
  outcome: { outcome: 'solved', by: 'U0SAM000002', at: 0 },
  session: SessionSchema.parse({
    id: 'session_1',
    agents: [{ id: 'a1', email: 'alex@acme.com' }],
    length_seconds: 60,
    features_used: ['click'],
    video_url: 'https://api.service.example/recordings/1',
    quality_feedback: [{ rating: 1, comment: 'Call me at 555 0100' }],
  }),
  visitor: 'jane4821',
  isCut: true,
  watchedBy: 'U0ALEX00001',
  access: 'full',
  stoppedBy: { userId: 'U0SAM000002', reason: 'Jane Cooper asked for it' },
} as const;
const told = 'This channel may be shared: personal details are left out.';

describe('a summary where people of other organizations read along', () => {
  it('says who watched, how long and what was used, and that the rest is left out', () => {
    expect(summary(content).text.split('\n')).toEqual([
      'jane4821 · 1 min',
      'Co-browsing session ended · Full control',
      'Agent: <@U0ALEX00001>',
      'Tools used: click',
      'Outcome: Solved',
      'Stopped by: <@U0SAM000002>',
      told,
    ]);
  });

  it.each([true, 'unknown'] as const)(
    'has no recording, feedback, email or typed words in any of its forms: %s',
    (isCut) => {
      const cut = { ...content, isCut };
      const forms = [summary(cut), shortSummary(cut), summaryDetail(cut, true)];
      expect(JSON.stringify(forms)).not.toMatch(/recordings|555 0100|alex@acme|asked for it/);
      expect(shortSummary(cut).text).toContain(told);
    },
  );
});

it('a card where people of other organizations read along names the agent as Slack does, and the visitor by id', () => {
  const { visitor, isCut, watchedBy, access } = content;
  const can = { canAskChannel: true, canStop: true, endSource: 'webhook', colleagues: [] } as const;
  const shared = { visitorId: visitor, linkId: 'link', visitor, isCut, watchedBy, access, ...can };
  const card = linkCard(shared, { agent: 'alex@acme.com' });
  expect(card.text).toContain('<@U0ALEX00001> asked to see jane4821’s screen · Full control.');
  expect(JSON.stringify(card)).not.toContain('alex@acme.com');
  // Also when nothing more is expected.
  for (const { text } of [card, linkCard(shared, { concluded: 'unused' })]) expect(text).toContain(told);
});
