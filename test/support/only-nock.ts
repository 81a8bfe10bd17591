import nock from 'nock';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** Has all requests of a file answered by nock, and nothing else reached; after it, the process is as before. */
export function onlyNock(): void {
  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}
