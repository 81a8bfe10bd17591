import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { ADA } from '../home/at-home.ts';
import { SUPPORT, personIn } from '../support/person.ts';
import { install } from './install.ts';

const SECONDS = 43_200;

it('the stand-in Slack’s tokens end after twelve hours, where asked to, and a refresh ends both that were there', async () => {
  let time = Date.now();
  const sandbox = await startSandbox({ workspaces: 2, now: () => time, slack: { tokenSeconds: SECONDS } });
  onTestFinished(() => sandbox.close());
  const { slack } = sandbox;
  await install(sandbox, slack, { as: ADA });
  await slack.command({ as: ADA, channel: SUPPORT, text: '/invite @cobrowse' });
  // A request that is signed before wouldn’t be taken.
  await expect.poll(() => slack.calls.some(({ method }) => method === 'ack')).toBe(true);
  time += SECONDS * 1_000;
  const answer = await personIn(sandbox).type('/cobrowse find jane4821');
  expect(answer.text).toContain('Jane Cooper');

  const first = slack.install();
  const second = slack.refresh(first.refreshToken ?? '');
  expect(slack.refresh(first.refreshToken ?? '')).toBeUndefined();
  expect([first, second].map((granted) => slack.tokenState(granted?.token ?? ''))).toEqual([
    'replaced',
    'valid',
  ]);
});
