import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage, PageView } from '../../sandbox/slack/page-api.ts';
import { ASK_FORM } from '../../src/messages/action-ids.ts';
import { personIn } from '../support/person.ts';

const isForm = ({ title, submit }: PageView) => title === 'Ask a colleague' && submit !== undefined;

/** Presses the button, fills its form in, and returns what the modal then says, or what is wrong beside its fields. */
export async function askColleague(
  { slack }: Pick<Sandbox, 'slack'>,
  {
    as,
    shown,
    colleague,
    reason = '',
  }: {
    readonly as: string;
    readonly shown: PageMessage;
    readonly colleague: string;
    readonly reason?: string;
  },
): Promise<PageView> {
  const asker = personIn({ slack }, as, shown.channel);
  // The card changes with everybody who is asked.
  const now = asker.messages().find(({ ts }) => ts === shown.ts) ?? shown;
  await asker.press(now, /^Ask a colleague/);
  const { id: view_id } = await asker.modal(isForm);
  const state = {
    [ASK_FORM.personBlock]: { [ASK_FORM.person]: { type: 'users_select', selected_user: colleague } },
    [ASK_FORM.reasonBlock]: { [ASK_FORM.reason]: { type: 'plain_text_input', value: reason } },
  };
  await slack.submit({ as, view_id, state });
  const answer = await slack.until(as, ({ views }) =>
    views.find(
      ({ id, submit, errors, blocks }) =>
        id === view_id &&
        (Object.keys(errors).length > 0 ||
          (submit === undefined && !JSON.stringify(blocks).includes('Asking your colleague'))),
    ),
  );
  await slack.closeView({ as, view_id });
  return answer;
}
