import type { PageView } from '../../sandbox/slack/page-api.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ALEX, personIn, readable } from '../support/person.ts';

export const shows = (words: string) => (view: PageView) => readable(view.blocks).includes(words);
export const isForm = ({ submit }: PageView) => submit !== undefined;
const inputsIn = ({ blocks }: PageView) =>
  blocks.flatMap((block) => (block.type === 'input' ? [block.element] : []));
/** What may be chosen in a form. */
export const choicesIn = (view: PageView): readonly string[] =>
  inputsIn(view).flatMap((input) =>
    input.type === 'radio_buttons' ? input.options.map(({ value = '' }) => value) : [],
  );
/** The initial value of a form's field. */
export const suggestionIn = (view: PageView): string | undefined =>
  inputsIn(view).flatMap((input) =>
    input.type === 'plain_text_input' ? [input.initial_value ?? ''] : [],
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
