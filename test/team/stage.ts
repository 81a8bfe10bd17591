import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { AnyRow, type Database, type Sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { removeOldAsks } from '../../src/team/asks.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { storeFor } from '../support/engines.ts';
import { ALEX, SUPPORT, anotherLink, personIn } from '../support/person.ts';
import { writeSettings } from '../support/settings-values.ts';

interface Clock {
  aheadMs: number;
}

/** A sandbox on the test's clock, in which Alex watches customers. @param begin before it starts */
export function teamStage(engine: Parameters<typeof storeFor>[0], begin = (_clock: Clock) => {}) {
  const clock: Clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const storeUrl = storeFor(engine);
  const { sandbox, logLines } = checkedSandbox(() => {
    begin(clock);
    return { storeUrl: storeUrl(), now, service: { sessionLimit: 100 } };
  });
  const person = (userId: string = ALEX, channelId = SUPPORT) => personIn(sandbox(), userId, channelId);
  const directs = (userId: string, part: string) =>
    person(userId)
      .messages()
      .filter(({ channel, text }) => channel.startsWith('D') && text.includes(part));

  async function inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(storeUrl());
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  return {
    clock,
    now,
    inDatabase,
    sandbox,
    logLines,
    person,
    directs,
    /** A direct message, once it's there. */
    direct: (userId: string, part: string) =>
      person(userId).message(({ ts }) => directs(userId, part).some((one) => one.ts === ts)),
    /** A message, once it says this. */
    changed: (one: PageMessage, part: string) =>
      person().message(({ ts, text }) => ts === one.ts && text.includes(part)),
    /** A message in a channel, once it begins with this. */
    posted: (part: string, channelId = SUPPORT, as: string = ALEX) =>
      person(as, channelId).message(({ channel, text }) => channel === channelId && text.startsWith(part)),
    /** Opens the link that a press of Watch led to, and ends the session. */
    endSessionOf: async (opened: Response) => {
      const link = (await anotherLink(opened)).headers.get('location') ?? '';
      const session = await sandbox().service.openWatchLink(link);
      await sandbox().service.endSession(session.id);
    },
    /** Alex opens a customer's screen, and the session begins. */
    sessionOf: async (visitorId: string, name: string, channelId = SUPPORT) => {
      sandbox().service.setOnline(visitorId, true);
      const alex = person(ALEX, channelId);
      const opened = await alex.watch(await alex.type(`/cobrowse watch ${visitorId}`));
      const link = opened.headers.get('location') ?? '';
      const session = await sandbox().service.openWatchLink(link);
      const card = await alex.message(
        ({ text, channel }) => channel === channelId && text.includes(`asked to see ${name}’s screen`),
      );
      return { card, link, session };
    },
    /** From now on these people can watch, or everybody. */
    letWatch: async (ids?: string[]): Promise<void> => {
      await writeSettings(sandbox(), ids === undefined ? {} : { rules: { watch: { members: false, ids } } });
      clock.aheadMs += 5_000;
    },
    rowsOf: (query: Sql) => inDatabase((database) => database.read(query, AnyRow)),
    /** Removes what nobody needs a day later. */
    forgetAsks: () =>
      inDatabase((database) =>
        database.write(removeOldAsks(Date.now() + clock.aheadMs + 24 * 60 * 60_000 + 1_000, 500)),
      ),
  };
}
