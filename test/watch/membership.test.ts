import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, personIn } from '../support/person.ts';
import { open, watchAddress } from './opening.ts';

const WAR_ROOM = 'C0WARROOM01';
/** Kim's direct messages with the app: a place whose members nobody asks for. */
const kimsOwn = 'D0KIM000003';

describe('an app that lacks the scope to see who is in a channel', async () => {
  const file = await readFile(new URL('../../manifest.json', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(file.replace('"channels:read",', ''));
  const { sandbox } = checkedSandbox({ watchProof: 'ticket', slack: { manifest } });

  it('gives nobody a link there, and names the scope', async () => {
    const kim = personIn(sandbox(), KIM, kimsOwn);
    const { url = '' } = kim.button(await kim.type('/cobrowse watch jane4821'), /^Watch/);
    expect((await open(url)).status).toBe(302);
    const answer = await personIn(sandbox(), KIM).type('/cobrowse watch jane4821');
    expect(answer.text).toContain('it’s missing the scope channels:read.');
    expect(answer.text).toContain('install the app again with the scope channels:read');
    const page = await open(watchAddress(sandbox()));
    expect(page.status).toBe(503);
  });
});

describe('a private channel without the app', () => {
  const room = { id: WAR_ROOM, name: 'war-room', topic: '', members: [ALEX, KIM], isPrivate: true };
  const seed = { ...acme, channels: [...acme.channels, room] };
  const { sandbox, logLines } = checkedSandbox({ watchProof: 'ticket', slack: { seed } });

  it('is one of which Slack does not say who left, and the log says so', async () => {
    const kim = personIn(sandbox(), KIM, WAR_ROOM);
    const { url = '' } = kim.button(await kim.type('/cobrowse watch jane4821'), /^Watch/);
    expect((await open(url)).status).toBe(302);
    const line = logLines.find((each) => each.includes("doesn't show who left a channel"));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ channelId: WAR_ROOM, why: 'channel_not_found' });
  });
});
