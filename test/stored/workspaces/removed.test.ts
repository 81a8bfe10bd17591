import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { IssuedLink, LinkRequest } from '../../../src/messages/link-request.ts';
import { createTickets } from '../../../src/http/tickets.ts';
import { markForPurge } from '../../../src/workspaces/holds.ts';
import { endedSession } from '../../sessions/ended-session.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { SEALING_KEY } from '../../support/settings.ts';
import { JSON_TYPE, signedHeaders } from '../../support/signed.ts';
import { JoinAnswer } from '../../../src/watch/route.ts';
import { ACME, TOKEN, known, manyStage } from '../../workspaces/install-stage.ts';

/** By then a process reads what another one wrote, without any hint. */
const READ_AGAIN_MS = 6_000;
const json = { 'content-type': JSON_TYPE };
const Installed = z.object({ install_id: z.string() });
const Held = z.object({ held_until: z.number().nullable() });
const Count = z.object({ count: z.number() });

describe.each(engines)('a workspace with the app, in $engine', ({ newUrl }) => {
  async function stage() {
    let isRevoked = false;
    const storeUrl = await newUrl();
    const many = await manyStage({
      storeUrl,
      answers: {
        'auth.test': ({ token }) =>
          token === TOKEN && !isRevoked ? known : { ok: false, error: 'token_revoked' },
      },
    });
    await many.install();
    const database = await openUntilTestEnds(storeUrl);
    const [row] = await database.read(sql`SELECT install_id FROM workspaces`, Installed);
    const installId = row?.install_id;
    const { publicUrl = '' } = many.config;
    const kindOf = createTickets([SEALING_KEY], many.now);
    const request = {
      workspaceId: ACME,
      installId,
      userId: 'U0ALEX00001',
      visitorId: 'jane',
      access: 'full',
    } as const;
    const webhookUrl = `${publicUrl}/webhooks/session-end/${kindOf('session-end', IssuedLink).issue({ ...request, linkId: 'L1' }, 60_000)}`;
    const watchUrl = `${publicUrl}/watch/${kindOf('watch', LinkRequest).issue(request, 60_000)}`;
    const join = { id: 'J1', order: request, proofId: 'P1' };
    const joinUrl = `${publicUrl}/watch/join/${kindOf('join', JoinAnswer).issue(join, 60_000)}`;
    return {
      ...many,
      database,
      revoke: () => void (isRevoked = true),
      report: (session: string) =>
        fetch(webhookUrl, { method: 'POST', headers: json, body: JSON.stringify(endedSession(session)) }),
      /** A button's page, and the answer to the question whether to join. */
      open: async () => {
        const pages = await Promise.all([
          fetch(watchUrl, { headers: { 'sec-fetch-dest': 'document' } }),
          fetch(joinUrl, { method: 'POST' }),
        ]);
        return Promise.all(pages.map(async (page) => ({ status: page.status, text: await page.text() })));
      },
      kept: async () =>
        (await database.read(sql`SELECT COUNT(*) AS count FROM session_ends`, Count))[0]?.count,
    };
  }

  it('is asked about at an event that says it was removed, and held if its token is refused', async () => {
    const { database, slack, revoke, config, now } = await stage();
    const send = (type: string) => {
      const event = { type, tokens: { oauth: ['U0ALEX00001'], bot: [] } };
      const body = JSON.stringify({ type: 'event_callback', team_id: ACME, event_id: `Ev-${type}`, event });
      return fetch(`${config.publicUrl}/slack/events`, {
        method: 'POST',
        headers: { ...json, ...signedHeaders('signing-secret', body, now()) },
        body,
      });
    };
    const asked = () => slack.called().filter((method) => method === 'auth.test').length;
    const isHeld = async () =>
      (await database.read(sql`SELECT held_until FROM workspaces`, Held))[0]?.held_until !== null;
    // A user's token, and nothing else.
    expect((await send('tokens_revoked')).status).toBe(200);
    await expect.poll(asked).toBe(2);
    expect(await isHeld()).toBe(false);
    revoke();
    await send('app_uninstalled');
    await expect.poll(isHeld).toBe(true);
  });

  it('that was removed is told so by its pages, and ends of its sessions are kept, once', async () => {
    const { database, pass, open, report, kept } = await stage();
    await database.write(sql`UPDATE workspaces SET held_until = 1, gone_at = 1`);
    pass(READ_AGAIN_MS);
    const said = { status: 410, text: expect.stringContaining('The app was removed') };
    expect(await open()).toMatchObject([said, said]);
    expect((await report('one')).status).toBe(200);
    expect((await report('one')).status).toBe(200);
    expect(await kept()).toBe(1);
  });

  it('whose data was removed for good keeps nothing any more: its pages and webhooks say so', async () => {
    const { database, pass, open, report, kept, install } = await stage();
    await database.write(markForPurge(sql`id = ${ACME}`));
    pass(READ_AGAIN_MS);
    expect((await open()).map(({ status }) => status)).toEqual([410, 410]);
    expect((await report('one')).status).toBe(410);
    // Installed again, it's another one.
    await database.write(sql`DELETE FROM workspaces`);
    pass(READ_AGAIN_MS);
    await install();
    expect((await report('one')).status).toBe(410);
    expect((await open()).map(({ status }) => status)).toEqual([410, 410]);
    expect(await kept()).toBe(0);
  });
});
