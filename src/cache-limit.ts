/** The options of an LRUCache that grows up to this many entries: `max` would take the memory for all of them at once. */
export const atMost = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 });
