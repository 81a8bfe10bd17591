import { describe, expect, it } from 'vitest';
import type { PageMessage } from '../../../sandbox/slack/page-api.ts';
import type { IssuedLink } from '../../../src/messages/link-request.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { engines, sqlite, storeFor } from '../../support/engines.ts';
import { sentFile } from '../../support/sent-file.ts';
import { startForMany } from '../../workspaces/many-stage.ts';
import { ALEX, KIM, SALES, SAM, SUPPORT, buttonsIn, personIn, rowsIn } from '../../support/person.ts';
import { ADA, RANDOM } from '../../subscriptions/stage.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { isPosted, webhooksOf } from '../../sessions/webhook-stage.ts';

const SHARED = 'C0SHARED004';
const { channelId: _, ...nowhere } = alexInSupport;
const RECORDING = 'https://service.example/recording';

/** What a list says of sessions, a line each. */
const listed = ({ text }: PageMessage) => text.split('\n').filter((line) => line.startsWith('- '));
/** Who a list has, by the name of the session's agent. */
const idsIn = (message: PageMessage) =>
  listed(message).map((line) => /Agent of (.+?)(?: ·|$)/.exec(line)?.[1] ?? line);
/** Where the links of a message lead that are named so. */
const linksIn = ({ blocks }: PageMessage, name: string) =>
  Array.from(
    JSON.stringify(blocks).matchAll(/"type":"link","url":"([^"]+)","text":"([^"]+)"/g),
    ([, url, text]) => (text === name ? [url] : []),
  ).flat();

describe.each(engines)('/cobrowse sessions, on $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const { sandbox, logLines } = checkedSandbox(() => ({ storeUrl: storeUrl() }));
  let links = 0;
  const linkOf = (fields: Partial<IssuedLink>): IssuedLink => ({
    ...nowhere,
    linkId: `link-${(links += 1)}`,
    ...fields,
  });

  /** A session of this link ends, and its summary is where it belongs, and recorded to be. */
  async function end(id: string, link: Partial<IssuedLink>, fields: object = {}): Promise<void> {
    const webhooks = webhooksOf(sandbox());
    const to = webhooks.address(linkOf(link));
    expect((await webhooks.send(endedSession(id, { ...fields }), { to })).status).toBe(200);
    await expect.poll(() => isPosted(logLines, id), { timeout: 20_000 }).toBe(true);
  }

  const list = (userId: string, filter = '', channel = SUPPORT) =>
    personIn(sandbox(), userId, channel).type(`/cobrowse sessions ${filter}`);
  const uploaded = () => sentFile(sandbox());

  it('says so where there are none', async () => {
    expect((await list(KIM)).text).toMatch(/^No sessions\./);
    await end('a', { channelId: SUPPORT }, { video_url: RECORDING });
    await end('b', { userId: SAM, channelId: RANDOM });
    await end('c', { userId: SAM, channelId: SUPPORT, visitorId: 'priya55' }, { visitor_id: 'priya55' });
    await end('d', { userId: SAM });
    const refused = { session_authorized: false, went_live: false };
    await end('e', { channelId: SUPPORT }, refused);
    await end('f', { channelId: SHARED }, { video_url: RECORDING });
    const alex = personIn(sandbox(), ALEX);
    await alex.chooseFollowUp(alex.existing(/ with Agent of a · /));
  });

  it('has one’s own anywhere, and others’ in the channel of their summary', async () => {
    expect(idsIn(await list(ALEX))).toEqual(['f', 'e', 'c', 'a']);
    expect(idsIn(await list(ALEX, '', RANDOM))).toEqual(['f', 'e', 'b', 'a']);
    expect(idsIn(await list(SAM, '', SALES))).toEqual(['d', 'c', 'b']);
    expect(idsIn(await list(KIM))).toEqual(['e', 'c', 'a']);
  });

  it('has those of channels that are named, for who is in them', async () => {
    expect(idsIn(await list(KIM, '#random'))).toEqual(['b']);
    const none = await list(KIM, '#shared-acme-globex');
    expect(none.text).toContain(`No sessions in <#${SHARED}>.`);
    expect(none.text).toContain('You see your own sessions, and those with a summary in this channel');
    sandbox().slack.leave({ channel: RANDOM, user: KIM });
    expect((await list(KIM, '#random')).text).toContain('No sessions');
    sandbox().slack.join({ channel: RANDOM, user: KIM });
  });

  it('has all for an admin, also what went to somebody’s direct messages, without a link there', async () => {
    const all = await list(ADA, '', RANDOM);
    expect(idsIn(all)).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
    expect(linksIn(all, 'Summary')).toHaveLength(5);
    expect(linksIn(await list(SAM, '', RANDOM), 'Summary')).toHaveLength(3);
  });

  it('says of each what is known, and links its recording and its summary', async () => {
    const answer = await list(KIM);
    const [, , line = ''] = listed(answer);
    const of = `Jane Cooper · Agent of a · in <#${SUPPORT}>`;
    const known = `- <!date.*> · ${of} · 1 minute 15 seconds · Follow up · Recording · Summary`;
    expect(line).toMatch(new RegExp(`^${known}$`));
    expect(linksIn(answer, 'Recording')).toEqual([RECORDING]);
    const { ts } = personIn(sandbox(), ALEX).existing(/ with Agent of a · /);
    expect(linksIn(answer, 'Summary').at(-1)).toBe(
      `https://acme.slack.com/archives/${SUPPORT}/p${ts.replace('.', '')}`,
    );
  });

  it('tells what the customer never accepted, and counts it apart', async () => {
    const { text } = await list(KIM);
    expect(text).toContain('3 sessions, newest first\nNot accepted: 1\n');
    expect(text).toMatch(/Agent of e · in <#C0SUPPORT01> · didn’t accept · Summary/);
  });

  it('takes the audit’s words, and outcomes', async () => {
    expect(idsIn(await list(ADA, 'follow-up'))).toEqual(['a']);
    expect(idsIn(await list(ADA, 'follow ups last 7 days'))).toEqual(['a']);
    expect(idsIn(await list(ADA, '@sam without outcome'))).toEqual(['d', 'c', 'b']);
    expect(idsIn(await list(ADA, 'without outcome'))).toEqual(['f', 'd', 'c', 'b']);
    expect(idsIn(await list(ADA, '#support @sam'))).toEqual(['c']);
    expect(idsIn(await list(ADA, 'by @sam in #support in the last 7 days'))).toEqual(['c']);
    expect(idsIn(await list(SAM, 'by me'))).toEqual(['d', 'c', 'b']);
    expect(idsIn(await list(ADA, 'priya55'))).toEqual(['c']);
    expect(idsIn(await list(ADA, 'of priya55'))).toEqual(['c']);
    const odd = await list(ADA, 'unsolved');
    expect(odd.text).toContain('I didn’t understand “unsolved”.');
    expect(odd.text).toContain('Filter by: solved, follow-up, other, without outcome.');
  });

  it('leaves out recording and name where people of another organization read along', async () => {
    const own = await list(ALEX);
    const [line = ''] = listed(own);
    expect(line).toMatch(/ · jane4821 · Agent of f /);
    expect(line).not.toContain('Recording');
    expect(own.text).toContain('This channel may be shared: personal details are left out.');
    const there = await list(ALEX, '', SHARED);
    expect(there.text).not.toMatch(/Jane|Priya|Recording/);
    expect(linksIn(there, 'Recording')).toEqual([]);
  });

  it('sends what one sees as a file, once, which no spreadsheet runs', async () => {
    await end('=1+1', { userId: KIM, channelId: RANDOM, visitorId: '@SUM(A1)' });
    const kim = personIn(sandbox(), KIM, RANDOM);
    const { text } = await kim.pressFor(await list(KIM, '', RANDOM), /^Get the file/);
    expect(text).toBe('I sent you the file with 2 sessions as a direct message.');
    const [head, first = '', second = '', ...rest] = uploaded().trim().split('\n');
    const zone = 'Europe/Amsterdam';
    expect(head).toContain(
      `"Started (${zone})","Ended (${zone})","Visitor","Agents","Person","Person ID","Channel","Channel ID"`,
    );
    expect(first).toMatch(/^(?:"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",){2}/);
    expect(first).toContain(
      `"'@SUM(A1)","Agent of =1+1","Kim Novak","${KIM}","random","${RANDOM}","75","","","","full"`,
    );
    expect(second).toContain(`"jane4821","Agent of b","Sam Lee","${SAM}"`);
    expect(rest).toEqual([]);
    expect((await list(ADA, 'jsonl #shared-acme-globex')).text).toContain('the file with 1 session');
    expect(JSON.parse(uploaded())).toMatchObject({ visitorId: 'jane4821', channelId: SHARED, seconds: 75 });
    expect(uploaded()).not.toContain(RECORDING);
  });

  it('shows hostile names as text', async () => {
    const name = '<!channel> *x*';
    await end(name, { userId: KIM, channelId: RANDOM, visitorId: '<@U0ADA000005>' });
    const { text, blocks } = await list(KIM, 'last day', RANDOM);
    expect(text).toContain('&lt;@U0ADA000005&gt; · Agent of &lt;!channel&gt; *x* · in');
    expect(JSON.stringify(blocks)).not.toContain('"user_id":"U0ADA000005"');
  });

  it('has up to a hundred in a table, that Slack sorts by', async () => {
    const { blocks } = await list(KIM, 'jane');
    const [heads, ...rows] = rowsIn(blocks);
    expect(heads?.slice(1)).toEqual(['Customer', 'Agent', 'Channel', 'Length', 'Outcome', 'Links']);
    expect(rows.map((row) => row.slice(4))).toEqual([
      ['didn’t accept', '–', 'Summary'],
      ['1 minute 15 seconds', 'Follow up', 'Recording · Summary'],
    ]);
    expect(rows[0]?.slice(1, 3)).toEqual(['Jane Cooper', 'Agent of e']);
    expect(rows[0]?.[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(JSON.stringify(blocks)).toContain('{"type":"raw_number","value":75,"text":"1 minute 15 seconds"}');
  });

  it('goes on six by six where Slack refuses the table, unmoved by what ends meanwhile', async () => {
    sandbox().slack.fail('response_url', 'invalid_blocks');
    sandbox().slack.fail('chat.postEphemeral', 'invalid_blocks');
    const first = await list(ADA);
    expect(rowsIn(first.blocks)).toEqual([]);
    expect(listed(first)).toHaveLength(6);
    await end('late', { channelId: SUPPORT });
    const second = await personIn(sandbox(), ADA).pressToReplace(first, /^More: older/);
    expect(second.text).toContain('7 to 8 of 8 sessions, newest first');
    expect(idsIn(second)).toEqual(['b', 'a']);
    expect(buttonsIn(second.blocks).map(({ text }) => text.text)).toEqual(['Get the file']);
  });
});

it('links summaries by the address of the workspace that installed the app', async () => {
  const { sandbox } = await startForMany({ storeUrl: await sqlite.newUrl(), connects: true });
  const webhooks = webhooksOf(sandbox);
  await webhooks.send(endedSession('many'), { to: webhooks.address(alexInSupport) });
  const { channel } = await webhooks.summaryOf('many');
  const alex = personIn(sandbox);
  const summaryOf = async () => linksIn(await alex.type('/cobrowse sessions'), 'Summary')[0];
  // The post is there before it's recorded.
  await expect.poll(summaryOf, { timeout: 20_000 }).toMatch(`https://acme.slack.com/archives/${channel}/p`);
});
