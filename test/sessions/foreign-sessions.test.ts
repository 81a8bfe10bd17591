import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { serveRoute, summariesSeenBy, webhooksOf } from './webhook-stage.ts';

const RANDOM = 'C0RANDOM003';

const named = (linkId: string) => ({ metadata: { slack_link: linkId } });
const refusal = (error: string) => ({ status: 422, body: JSON.stringify({ status: 'error', error }) });

describe('a ticket that somebody read in a log', () => {
  const { sandbox } = checkedSandbox();
  const mine = () => webhooksOf(sandbox()).address({ ...alexInSupport, linkId: 'mine' });

  it('can’t report a session that names another link', async () => {
    const webhooks = webhooksOf(sandbox());
    const foreign = endedSession('foreign', named('theirs'));
    expect(await webhooks.send(foreign, { to: mine() })).toMatchObject(refusal('a session of another link'));
    expect(await webhooks.send({ session: foreign }, { to: mine() })).toMatchObject({ status: 422 });
    expect(await webhooks.send(endedSession('own', named('mine')), { to: mine() })).toMatchObject({
      status: 200,
    });
    expect(await webhooks.allUntilNow()).toEqual(['own']);
    const answer = await fetch(`${sandbox().publicUrl}/metrics`);
    expect(await answer.text()).toContain('session_end_webhooks_total{outcome="another-link"} 2');
  });

  it.each([
    ['another visitor', { visitor_id: 'priya55' }],
    ['no visitor', { visitor_id: undefined }],
  ])('takes no summary away from another channel with a session of %s', async (_, claimed) => {
    const webhooks = webhooksOf(sandbox());
    const id = `taken ${String(claimed.visitor_id)}`;
    const theirs = { ...alexInSupport, linkId: 'theirs', visitorId: 'priya55', channelId: RANDOM };
    expect(await webhooks.send(endedSession(id, claimed), { to: mine() })).toMatchObject({ status: 200 });
    await webhooks.summaryOf(id);
    const truly = endedSession(id, { visitor_id: 'priya55' });
    expect(await webhooks.send(truly, { to: webhooks.address(theirs) })).toMatchObject({ status: 200 });
    const seen = () => summariesSeenBy(sandbox().slack).filter((summary) => summary.id === id);
    await expect.poll(() => seen().map(({ channel }) => channel)).toContain(RANDOM);
  });
});

describe('the sessions of one link', () => {
  it('are limited, which the service is told', async () => {
    const { send, reports } = await serveRoute({ link: alexInSupport, accept: async () => 'too-many' });
    expect(await send(endedSession('one-more'))).toEqual(refusal('too many sessions for one link'));
    expect(reports).toEqual(['too-many']);
  });
});
