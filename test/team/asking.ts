import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage, PageView } from '../../sandbox/slack/page-api.ts';
import { personIn } from '../support/person.ts';

const isAnswer = ({ submit, errors, blocks }: PageView) =>
  Object.keys(errors).length > 0 || (submit === undefined && !/Loading|Saving/.test(JSON.stringify(blocks)));

/** Somebody asks from a message, and says why. */
interface Asking {
  readonly as: string;
  readonly shown: PageMessage;
  readonly reason?: string;
}

/**
 * Presses the button with this title and fills its form in, if one opens; returns what the modal then says, or what is
 * wrong beside its fields.
 *
 * @param others the fields beside the reason
 */
async function ask(
  { slack }: Pick<Sandbox, 'slack'>,
  { as, shown, reason = '' }: Asking,
  title: string,
  others: Parameters<Sandbox['slack']['submit']>[0]['state'] = {},
): Promise<PageView> {
  const asker = personIn({ slack }, as, shown.channel);
  // The card changes with everybody who is asked.
  const now = asker.messages().find(({ ts }) => ts === shown.ts) ?? shown;
  const before = new Set(asker.views().map(({ id }) => id));
  await asker.press(now, new RegExp(`^${title}`));
  const opened = await asker.modal(
    (view) => !before.has(view.id) && view.title === title && (view.submit !== undefined || isAnswer(view)),
  );
  const { id: view_id } = opened;
  if (opened.submit !== undefined) {
    const why = { value: { type: 'plain_text_input', value: reason } };
    await slack.submit({ as, view_id, state: { ...others, reason: why } });
  }
  const answer = await slack.until(as, ({ views }) =>
    views.find((view) => view.id === view_id && isAnswer(view)),
  );
  await slack.closeView({ as, view_id });
  return answer;
}

export const askChannel = (sandbox: Pick<Sandbox, 'slack'>, asking: Asking): Promise<PageView> =>
  ask(sandbox, asking, 'Ask this channel');

type AskingPerson = Asking & { readonly colleague: string };

export const askColleague = (sandbox: Parameters<typeof ask>[0], { colleague, ...asking }: AskingPerson) =>
  ask(sandbox, asking, 'Ask a colleague', {
    person: { value: { type: 'users_select', selected_user: colleague } },
  });
