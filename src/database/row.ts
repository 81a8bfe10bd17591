import { z } from 'zod';

const inCamelCase = (column: string) =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const named = (row: unknown) =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([column, value]) => [inCamelCase(column), value ?? undefined]),
  );

/** Reads a row by its columns' names in camel case: `user_id` as `userId`. NULL is undefined. */
export const rowOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess(named, z.object(shape));

/** A column of JSON. */
export const jsonOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

/** A column of milliseconds since 1970. */
export const timeOf = z.number().transform((at) => new Date(at));
