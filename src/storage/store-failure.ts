import type { StorageError } from './errors.ts';

/** Why the store cannot be opened, with its file and what the system said, for whoever starts the app. */
export function storeFailureWords({ message, cause }: StorageError, file: string | undefined): string {
  return [
    message,
    ...(file === undefined ? [] : [`  File: ${file}`]),
    ...(cause instanceof Error ? [`  Cause: ${cause.message}`] : []),
  ].join('\n');
}
