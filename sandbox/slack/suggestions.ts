import { readSuggestion, type SuggestedOption, type Suggestion } from './block-kit.ts';
import { suggestionPayload } from './block-payloads.ts';
import { elementAt } from './elements.ts';
import { refused, type Interaction, type Refusal } from './interaction.ts';
import type { PressSource, ViewState } from './page-api.ts';
import { sceneAt } from './scenes.ts';

/** A person's external select. */
interface Place {
  readonly as: string;
  readonly source: PressSource;
  readonly block_id: string;
  readonly action_id: string;
}

/** The options each person was offered in each external select: nothing else can be chosen there. */
export interface Offers {
  of(place: Place): readonly SuggestedOption[];
  add(place: Place, suggestion: Suggestion): void;
}

export const createOffers = (): Offers => {
  const offers = new Map<string, Map<string, SuggestedOption>>();
  return {
    of: (place) => [...(offers.get(keyOf(place)) ?? new Map<string, SuggestedOption>()).values()],
    add(place, suggestion) {
      const known = offers.get(keyOf(place)) ?? new Map<string, SuggestedOption>();
      for (const option of suggestion.options) known.set(option.value, option);
      offers.set(keyOf(place), known);
    },
  };
};

const keyOf = ({ as, source, block_id, action_id }: Place): string =>
  JSON.stringify([as, source, block_id, action_id]);

type Suggested = (Suggestion & { readonly ok: true }) | Refusal;

const defaultMinLength = 3;
const couldNotLoad = 'The options could not be loaded.';

/**
 * Text typed into an external select goes to the app as a `block_suggestion`, and the answer is what the person can
 * choose from. Slack's client doesn't ask for anything shorter than `min_query_length`, usually 3.
 *
 * Over HTTP Slack asks only at the manifest's `message_menu_options_url`, so without it there are no suggestions.
 */
export const suggest = async (
  parts: Interaction,
  typed: Place & { readonly value: string; readonly state?: ViewState | undefined },
): Promise<Suggested> => {
  const found = sceneAt(parts, typed.as, typed.source);
  const element = found && elementAt(found.blocks, typed)?.element;
  if (found === undefined || element?.type !== 'external_select') return refused('This is gone.');
  const minLength = element.min_query_length ?? defaultMinLength;
  if (typed.value.length < minLength) return refused(`Type at least ${minLength} characters.`);
  if (parts.manifest.optionsUrl === undefined && !parts.isOverSocket()) {
    parts.record({ method: 'block_suggestion', args: typed.value, error: 'no message_menu_options_url' });
    return refused(couldNotLoad);
  }
  const acknowledgement = await parts.deliver(
    'interactive',
    suggestionPayload(parts.world, {
      ...typed,
      userId: typed.as,
      scene: found.scene,
      state: typed.state,
    }),
  );
  if (!acknowledgement.acknowledged) return refused(couldNotLoad);
  const answer = readSuggestion(acknowledgement.body);
  if ('problems' in answer) {
    const error = answer.problems.join('\n');
    parts.record({ method: 'block_suggestion', args: acknowledgement.body, error });
    return refused(couldNotLoad);
  }
  parts.offers.add(typed, answer.suggestion);
  return { ok: true, ...answer.suggestion };
};
