import nock from 'nock';
import { afterAll } from 'vitest';

// For every file that has its requests answered by nock: nothing else is reached, and nothing is left for the next file.
nock.disableNetConnect();
afterAll(() => nock.cleanAll());
