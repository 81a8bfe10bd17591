/**
 * Presses that still wait for the app's acknowledgement, and those that never got one: `block_id/action_id` for each
 * user.
 */
export interface PressMarks {
  begin(userId: string, mark: string): void;
  end(userId: string, mark: string, acknowledged: boolean): void;
  forget(userId: string): void;
  pending(userId: string): readonly string[];
  failed(userId: string): readonly string[];
}

export const createPressMarks = (changed: () => void): PressMarks => {
  const marks = new Map<string, Map<string, 'pending' | 'failed'>>();
  const of = (userId: string): Map<string, 'pending' | 'failed'> => {
    const known = marks.get(userId) ?? new Map<string, 'pending' | 'failed'>();
    marks.set(userId, known);
    return known;
  };
  const having = (userId: string, state: 'pending' | 'failed'): readonly string[] =>
    [...of(userId)].filter(([, it]) => it === state).map(([mark]) => mark);
  return {
    begin(userId, mark) {
      of(userId).set(mark, 'pending');
      changed();
    },
    end(userId, mark, acknowledged) {
      if (acknowledged) of(userId).delete(mark);
      else of(userId).set(mark, 'failed');
      changed();
    },
    forget(userId) {
      marks.delete(userId);
      changed();
    },
    pending: (userId) => having(userId, 'pending'),
    failed: (userId) => having(userId, 'failed'),
  };
};
