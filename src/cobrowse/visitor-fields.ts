import { z } from 'zod';
import { VisitorSchema } from './schemas.ts';
import type { Visitor } from './schemas.ts';
import { visitorNames, wireNameTable } from './wire-names.ts';
import type { WireNames } from './wire-names.ts';

/** VisitorSchema for what the service sends: fields that have other names on the wire are put under ours first. */
export function createVisitorSchema(names: WireNames): z.ZodType<Visitor> {
  const renamed = Object.entries(names).flatMap(([key, theirs]) => {
    const ours = wireNameTable[key]?.default;
    const isRenamed = key in visitorNames && ours !== undefined && theirs !== undefined && theirs !== ours;
    return isRenamed ? [{ ours, theirs }] : [];
  });
  if (renamed.length === 0) return VisitorSchema;
  return z.preprocess((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry;
    const own = (name: string): unknown =>
      Object.hasOwn(entry, name) ? Reflect.get(entry, name) : undefined;
    return { ...entry, ...Object.fromEntries(renamed.map(({ ours, theirs }) => [ours, own(theirs)])) };
  }, VisitorSchema);
}
