import type { PageView } from '../../sandbox/slack/page-api.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ALEX, personIn, readable } from '../support/person.ts';

export const shows = (words: string) => (view: PageView) => readable(view.blocks).includes(words);
export const isForm = ({ submit }: PageView) => submit !== undefined;
/** What may be chosen in a form. */
export const choicesIn = ({ blocks }: PageView): readonly string[] =>
  blocks.flatMap((block) =>
    block.type === 'input' && block.element.type === 'radio_buttons'
      ? block.element.options.map(({ value = '' }) => value)
      : [],
  );
/** The initial value of a form's field. */
export const suggestionIn = ({ blocks }: PageView): string | undefined =>
  blocks.flatMap((block) =>
    block.type === 'input' && block.element.type === 'plain_text_input'
      ? [block.element.initial_value ?? '']
      : [],
  )[0];

/** The form of Start co-browsing, as Alex opens it. @param viewing the channel that they look at */
export async function openStart(sandbox: Sandbox, viewing?: string): Promise<PageView> {
  const alex = personIn(sandbox);
  const before = new Set(alex.views().map(({ id }) => id));
  await sandbox.slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing', viewing });
  return alex.modal((view) => view.submit === 'Continue' && !before.has(view.id));
}

/** What is suggested while Alex types into its search. */
export const suggestIn = ({ slack }: Sandbox, { id }: PageView, value = 'jane') =>
  slack.suggest({
    as: ALEX,
    source: { type: 'view', view_id: id },
    block_id: 'visitor',
    action_id: 'visitor_search',
    value,
  });
