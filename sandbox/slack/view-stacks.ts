import { blockKitProblems, isModal, type Modal } from './block-kit.ts';
import { SlackError, argumentsError } from './slack-error.ts';
import { withIds } from './messages.ts';
import type { Opener } from './triggers.ts';

/** A modal a person has open. */
export interface OpenView {
  readonly id: string;
  readonly user: string;
  /** The conversation the person was in, if any. */
  readonly viewing: string | undefined;
  readonly modal: Modal;
  readonly hash: string;
  readonly rootId: string;
  readonly previousId: string | null;
  /** By block_id; the key "" holds an error of the whole modal. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Each person's stack of open modals, at most three. All throw {@link SlackError} with Slack's codes. */
export interface ViewStacks {
  of(userId: string): readonly OpenView[];
  open(opener: Opener, view: unknown): OpenView;
  push(opener: Opener, view: unknown): OpenView;
  update(viewId: string, view: unknown, hash?: string): OpenView;
  showErrors(viewId: string, errors: Readonly<Record<string, string>>): void;
  close(view: OpenView): void;
  closeAll(userId: string): void;
}

const deepest = 3;

export const createViewStacks = (options: {
  readonly randomId: () => string;
  readonly changed: () => void;
}): ViewStacks => {
  const { randomId, changed } = options;
  const stacks = new Map<string, readonly OpenView[]>();
  const of = (userId: string): readonly OpenView[] => stacks.get(userId) ?? [];
  const set = (userId: string, stack: readonly OpenView[]): void => {
    stacks.set(userId, stack);
    changed();
  };
  const find = (viewId: string): OpenView => {
    const view = [...stacks.values()].flat().find(({ id }) => id === viewId);
    if (view === undefined) throw new SlackError('not_found');
    return view;
  };
  const add = (opener: Opener, stack: readonly OpenView[], view: unknown): OpenView => {
    const id = `V${randomId()}`;
    const previousId = stack.at(-1)?.id ?? null;
    const added = {
      id,
      ...opener,
      ...draw(view, randomId),
      rootId: stack[0]?.id ?? id,
      previousId,
      errors: {},
    };
    set(opener.user, [...stack, added]);
    return added;
  };
  const replace = (view: OpenView): OpenView => {
    set(
      view.user,
      of(view.user).map((it) => (it.id === view.id ? view : it)),
    );
    return view;
  };
  return {
    of,
    // A modal opened over others replaces them; only views.push keeps them.
    open: (opener, view) => add(opener, [], view),
    push(opener, view) {
      const stack = of(opener.user);
      if (stack.length >= deepest) throw new SlackError('push_limit_reached');
      return add(opener, stack, view);
    },
    update(viewId, view, hash) {
      const old = find(viewId);
      if (hash !== undefined && hash !== old.hash) throw new SlackError('hash_conflict');
      return replace({ ...old, ...draw(view, randomId), errors: {} });
    },
    showErrors: (viewId, errors) => void replace({ ...find(viewId), errors }),
    close(view) {
      const stack = of(view.user);
      set(
        view.user,
        stack.slice(
          0,
          stack.findIndex((it) => it.id === view.id),
        ),
      );
    },
    closeAll: (userId) => set(userId, []),
  };
};

const draw = (view: unknown, randomId: () => string) => {
  if (!isModal(view)) throw argumentsError('invalid_arguments', blockKitProblems('modal', view));
  return { modal: { ...view, blocks: withIds(view.blocks, randomId) }, hash: randomId() };
};
