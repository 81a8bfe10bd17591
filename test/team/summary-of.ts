import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { personIn } from '../support/person.ts';

/** Ends a session of Alex's with this visitor in #support, and gives its summary. */
export async function summaryOf(sandbox: Sandbox, visitorId: string): Promise<PageMessage> {
  const alex = personIn(sandbox);
  sandbox.service.setOnline(visitorId, true);
  const page = await alex.watch(await alex.type(`/cobrowse watch ${visitorId}`));
  const card = await alex.message(({ text }) => /^Alex.*becomes the summary/s.test(text));
  const session = await sandbox.service.openWatchLink(page.headers.get('location') ?? '');
  await sandbox.service.endSession(session.id);
  return alex.message(({ ts, text }) => ts === card.ts && text.includes('Co-browsing session ended'));
}
