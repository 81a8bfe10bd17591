import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage, PageView } from '../../sandbox/slack/page-api.ts';
import { ASK_FORM } from '../../src/messages/action-ids.ts';
import { personIn } from '../support/person.ts';

const isAnswer = ({ submit, errors, blocks }: PageView) =>
  Object.keys(errors).length > 0 ||
  (submit === undefined && !/Asking this channel|Loading/.test(JSON.stringify(blocks)));

/**
 * Presses the button and fills its form in, if one opens; returns what the modal then says, or what is wrong beside its
 * field.
 */
export async function askChannel(
  { slack }: Pick<Sandbox, 'slack'>,
  { as, shown, reason = '' }: { readonly as: string; readonly shown: PageMessage; readonly reason?: string },
): Promise<PageView> {
  const asker = personIn({ slack }, as, shown.channel);
  // The card changes with everybody who is asked.
  const now = asker.messages().find(({ ts }) => ts === shown.ts) ?? shown;
  const before = new Set(asker.views().map(({ id }) => id));
  await asker.press(now, /^Ask this channel/);
  const opened = await asker.modal(
    (view) =>
      !before.has(view.id) &&
      view.title === 'Ask this channel' &&
      (view.submit !== undefined || isAnswer(view)),
  );
  const { id: view_id } = opened;
  if (opened.submit !== undefined) {
    const state = {
      [ASK_FORM.reasonBlock]: { [ASK_FORM.reason]: { type: 'plain_text_input', value: reason } },
    };
    await slack.submit({ as, view_id, state });
  }
  const answer = await slack.until(as, ({ views }) =>
    views.find((view) => view.id === view_id && isAnswer(view)),
  );
  await slack.closeView({ as, view_id });
  return answer;
}
