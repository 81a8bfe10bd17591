/** A value in a statement. Times are whole milliseconds since 1970; yes and no are 1 and 0, on both engines. */
export type SqlValue = string | number | null;

/** A statement or part of one: the words between its values. The driver puts its placeholders in between. */
export interface Sql {
  /** Always one more than the values. */
  readonly words: readonly string[];
  readonly values: readonly SqlValue[];
}

const isPiece = (value: SqlValue | Sql): value is Sql => typeof value === 'object' && value !== null;

/**
 * A statement with its values kept apart, as a template: sql`SELECT name FROM people WHERE id = ${id}`. A piece made by
 * `sql` can take a value's place and becomes part of the statement.
 *
 * @throws TypeError for a value that is neither text nor null nor a finite number: a mistake in the code
 */
export function sql(literals: TemplateStringsArray, ...inserted: readonly (SqlValue | Sql)[]): Sql {
  const words = [literals[0] ?? ''];
  const values: SqlValue[] = [];
  const append = (text: string) => words.push((words.pop() ?? '') + text);
  for (const [index, value] of inserted.entries()) {
    if (isPiece(value)) {
      append(value.words[0] ?? '');
      words.push(...value.words.slice(1));
      values.push(...value.values);
    } else {
      values.push(storable(value));
      words.push('');
    }
    append(literals[index + 1] ?? '');
  }
  return { words, values };
}

/** Joins pieces with commas, for lists: sql`id IN (${list(ids.map((id) => sql`${id}`))})`. */
export function list(pieces: readonly Sql[]): Sql {
  const [first = sql``, ...others] = pieces;
  return others.reduce((before, piece) => sql`${before}, ${piece}`, first);
}

/** Joins conditions with AND; true if there are none. */
export function all(conditions: readonly Sql[]): Sql {
  const [first = sql`1 = 1`, ...others] = conditions;
  return others.reduce((before, condition) => sql`${before} AND ${condition}`, first);
}

/**
 * PostgreSQL refuses NUL in text, and both engines turn half a surrogate pair into U+FFFD. Doing both here makes them
 * agree.
 */
function storable(value: SqlValue): SqlValue {
  if (value === null) return value;
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`A statement takes text, finite numbers and null, not ${typeof value}`);
}
