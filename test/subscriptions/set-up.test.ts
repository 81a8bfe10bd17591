import { describe, expect, it } from 'vitest';
import { tellAndWrite } from '../../src/subscriptions/managing.ts';
import { summariesSetUp } from '../../src/subscriptions/messages.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SALES, SUPPORT, buttonsIn, personIn } from '../support/person.ts';
import { ALL_SESSIONS } from './new-subscription.ts';
import { ADA, RANDOM, postsIn } from './stage.ts';

it('isn’t said to be going on, or done, where somebody else was faster', async () => {
  const said: [string | undefined, string][] = [];
  const post = async ({ replaces }: { replaces?: string | undefined }, { text }: { text: string }) => {
    said.push([replaces, text]);
    return { outcome: 'posted', ts: '1700000000.000001' } as const;
  };
  const words = summariesSetUp(ALEX, { filters: ALL_SESSIONS, form: 'full' });
  const place = { workspaceId: 'T1', channelId: SUPPORT };
  const written = await tellAndWrite(
    { post },
    place,
    words,
    async () => undefined,
    () => expect.fail(),
  );
  expect(written).toBeUndefined();
  expect(said).toEqual([
    [undefined, expect.stringContaining('is setting up a subscription')],
    ['1700000000.000001', expect.stringContaining('tried to set up a subscription')],
  ]);
});

describe('/cobrowse subscribe', () => {
  const clock = { ahead: 0 };
  const { sandbox, logLines } = checkedSandbox({ now: () => Date.now() + clock.ahead });
  const alex = () => personIn(sandbox());
  const ask = (text: string) => alex().type(`/cobrowse subscribe ${text}`);
  const announced = (channel: string) =>
    postsIn(sandbox(), channel).filter(({ text }) => text.includes('set up a subscription for this channel'));

  it('tells the channel at once who set it up and what will come, and the person its number', async () => {
    const { text } = await ask('tag:vip min 5m');
    expect(text).toBe(
      [
        `<#${SUPPORT}> now gets summaries of co-browsing sessions with customers tagged vip, lasting 5 minutes or more, in full. This is subscription 1.`,
        'To see all, type /cobrowse subscriptions. To turn this one off, type /cobrowse unsubscribe 1.',
      ].join('\n'),
    );
    expect(announced(SUPPORT).map((post) => post.text)).toEqual([
      [
        `<@${ALEX}> set up a subscription for this channel: summaries of co-browsing sessions with customers tagged vip, lasting 5 minutes or more, in full.`,
        'To turn it off, type /cobrowse unsubscribe.',
      ].join('\n'),
    ]);
  });

  it('takes people, groups and another channel as Slack sends them', async () => {
    const { text } = await ask('#random by @sam or @support-leads, short');
    expect(text).toContain(
      `<#${RANDOM}> now gets summaries of co-browsing sessions by <@U0SAM000002> or @support-leads, in short.`,
    );
    expect(announced(RANDOM)).toHaveLength(1);
    // The channel hears first that somebody is about to: that stays true if the app is killed before it's done.
    const said = sandbox().slack.calls.filter(({ method }) => /^chat\.(?:postMessage|update)$/.test(method));
    expect(said.slice(-2).map(({ args }) => JSON.stringify(args))).toEqual([
      expect.stringContaining('is setting up'),
      expect.stringContaining('set up a subscription'),
    ]);
  });

  it('says that it exists where it does, and posts nothing', async () => {
    const { text } = await ask('min 5m tag:VIP');
    expect(text).toContain('already gets summaries of co-browsing sessions with customers tagged vip');
    expect(text).toContain(`subscription 1, set up by <@${ALEX}>. Nothing changed.`);
    expect(announced(SUPPORT)).toHaveLength(1);
  });

  it('says the exact words for an invitation where the app is not in the channel, and sets nothing up', async () => {
    const { text } = await ask('#sales');
    expect(text).toBe(
      [
        `Nothing was set up for <#${SALES}>: I’m not in it.`,
        `Type /invite @Co-browse in <#${SALES}>. Then run the command again.`,
      ].join('\n'),
    );
    expect((await alex().type('/cobrowse subscriptions')).text).not.toContain(SALES);
  });

  const nothingFor = `Nothing was set up for <#${RANDOM}>:`;
  it.each([
    ['is_archived', `${nothingFor} it’s archived.`, 'Unarchive it, or choose another channel.'],
    [
      'restricted_action',
      `${nothingFor} posting there is restricted.`,
      'Ask a workspace admin to let the app',
    ],
    ['channel_not_found', `${nothingFor} I’m not in it.`, `Type /invite @Co-browse in <#${RANDOM}>.`],
    ['no_permission', `${nothingFor} Slack answered no_permission.`, 'Tell your admin.'],
    [{ retryAfter: 30 }, 'so nothing was set up.', 'Try again in a minute.'],
  ] as const)('sets nothing up where Slack answers %j', async (code, why, todo) => {
    sandbox().slack.fail('chat.postMessage', code);
    const { text } = await ask('#random');
    expect(text).toContain(why);
    expect(text).toContain(todo);
    expect(announced(RANDOM)).toHaveLength(1);
  });

  it('refuses who is not in the channel, but an admin, and writes it down', async () => {
    sandbox().slack.leave({ channel: RANDOM, user: KIM });
    const kim = personIn(sandbox(), KIM);
    const { text } = await kim.type('/cobrowse subscribe #random');
    expect(text).toContain(`Only members of <#${RANDOM}> and workspace admins`);
    expect(logLines.some((line) => line.includes('"not-member"') && line.includes('refusal'))).toBe(true);
    expect(announced(RANDOM)).toHaveLength(1);
    sandbox().slack.leave({ channel: RANDOM, user: ADA });
    const admins = await personIn(sandbox(), ADA).type('/cobrowse subscribe #random tag:gold');
    expect(admins.text).toContain('This is subscription 3.');
  });

  it('refuses where Slack does not say whether the person may', async () => {
    // What Slack said a moment ago counts no more.
    clock.ahead += 5_000;
    sandbox().slack.fail('conversations.members', 'internal_error');
    expect((await ask('#random short')).text).toContain('The app couldn’t check your permission with Slack');
  });
});

describe('/cobrowse unsubscribe', () => {
  const { sandbox } = checkedSandbox();
  const alex = () => personIn(sandbox());

  it('ends the only one of the channel and tells the channel', async () => {
    await alex().type('/cobrowse subscribe short');
    const { text } = await alex().type('/cobrowse unsubscribe');
    expect(text).toBe(`<#${SUPPORT}> no longer gets summaries of all co-browsing sessions, in short.`);
    expect(postsIn(sandbox(), SUPPORT).at(-1)?.text).toBe(`<@${ALEX}> turned off session summaries here.`);
    expect((await alex().type('/cobrowse subscriptions')).text).toContain('No channel you can see');
  });

  it('asks which where there are several, and never gives a number twice', async () => {
    await alex().type('/cobrowse subscribe short');
    await alex().type('/cobrowse subscribe tag:vip');
    const question = await alex().type('/cobrowse unsubscribe #support');
    expect(question.text).toContain('Which one?');
    expect(buttonsIn(question.blocks).map(({ accessibility_label: label }) => label)).toEqual([
      'Edit subscription 2',
      'Remove subscription 2',
      'Edit subscription 3',
      'Remove subscription 3',
    ]);
    const answer = await alex().pressFor(question, /^Remove subscription 3/);
    expect(answer.text).toContain(
      'no longer gets summaries of co-browsing sessions with customers tagged vip',
    );
    const again = await alex().pressFor(question, /^Remove subscription 3/);
    expect(again.text).toContain('I can’t find that subscription, or you can’t change it.');
    expect((await alex().type('/cobrowse subscribe tag:vip')).text).toContain('This is subscription 4.');
  });

  it('lets nobody end by its number what is none of theirs', async () => {
    await alex().type('/cobrowse subscribe #random');
    sandbox().slack.leave({ channel: RANDOM, user: KIM });
    const { text } = await personIn(sandbox(), KIM).type('/cobrowse unsubscribe 5');
    expect(text).toContain('I can’t find that subscription, or you can’t change it.');
    expect(text).not.toContain(RANDOM);
    expect((await alex().type('/cobrowse unsubscribe 5')).text).toContain('no longer gets summaries');
  });
});
