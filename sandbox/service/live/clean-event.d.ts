/** An event of a page as rrweb makes it. */
export interface PageEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: unknown;
}

/** How a field of the page is treated; `text`, `style` and `dropped` are parts of the page whose changes are cleaned as such. */
export type FieldKind = 'shown' | 'masked' | 'toggle' | 'hidden' | 'file' | 'text' | 'style' | 'dropped';

export interface Cleaner {
  readonly clean: (event: unknown) => PageEvent | null;
  readonly field: (id: number) => FieldKind | undefined;
  readonly needsSnapshot: () => boolean;
}

export function createCleaner(): Cleaner;
export function bareAddress(address: string): string;
export function masked(text: string): string;
