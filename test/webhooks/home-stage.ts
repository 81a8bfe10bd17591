import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import type { WebhookEvent } from '../../src/webhooks/bodies.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { personIn, readable } from '../support/person.ts';

interface Typed {
  readonly address?: string;
  readonly events?: readonly WebhookEvent[];
  readonly withNames?: boolean;
  readonly tags?: string;
}

const chosen = (values: readonly string[]) => ({
  value: { type: 'checkboxes', selected_options: values.map((value) => ({ value })) },
});
const typedText = (input: string, value: string) => ({ [input]: { type: 'plain_text_input', value } });

/** What the form's fields come to. */
export const stateOf = ({ address, events = ['session.ended'], withNames = false, tags }: Typed) => ({
  ...(address === undefined ? {} : { address: typedText('value', address) }),
  events: chosen(events),
  names: chosen(withNames ? ['names'] : []),
  ...(tags === undefined ? {} : { tags: typedText('value', tags) }),
});

/** The secret that a modal shows. */
export const secretIn = ({ blocks }: PageView): string => /whsec_[\w+/]+=/.exec(readable(blocks))?.[0] ?? '';

/** An admin at the webhooks in Home, without a browser. */
export function atWebhooks(sandbox: Pick<Sandbox, 'slack'>) {
  const { slack } = sandbox;
  const ada = atHome(sandbox, ADA);
  const person = personIn(sandbox, ADA);

  /** The modal that says this, and not only that it's at work. */
  const saying = (words: RegExp) =>
    slack.until(ADA, ({ views }) => views.findLast(({ blocks }) => words.test(readable(blocks))));

  async function closeAll(): Promise<void> {
    for (const { id } of ada.views().toReversed()) await slack.closeView({ as: ADA, view_id: id });
  }

  async function menu(): Promise<PageView> {
    await closeAll();
    await ada.open();
    await ada.press(/^Webhooks/);
    return saying(/Only workspace admins see this/);
  }

  async function form(button: RegExp): Promise<PageView> {
    const { id } = await menu();
    await person.pressInModal(await saying(/Only workspace admins/), button);
    return slack.until(ADA, ({ views }) => views.find((view) => view.id === id && view.submit !== undefined));
  }

  return {
    userId: ADA,
    ada,
    person,
    menu,
    form,
    saying,
    closeAll,
    submit: (view: PageView, typed: Typed) =>
      slack.submit({ as: ADA, view_id: view.id, state: stateOf(typed) }),
    /** Adds an address, and gives the secret that is shown. */
    async add(typed: Typed): Promise<string> {
      await this.submit(await form(/^Add an address/), typed);
      return secretIn(await saying(/Signing secret/));
    },
    /** Presses a button of the menu, and gives the modal that then says this. */
    async pressFor(button: RegExp, words: RegExp): Promise<PageView> {
      await person.pressInModal(await menu(), button);
      return saying(words);
    },
    /** What is wrong with the form, by block. */
    wrong: () =>
      slack.until(ADA, ({ views }) =>
        views.map(({ errors }) => errors).find((errors) => Object.keys(errors).length > 0),
      ),
  };
}
