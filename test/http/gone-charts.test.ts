import { expect, it } from 'vitest';
import { goneCharts } from '../../src/http/page.ts';
import { serve } from './served.ts';

it('a picture of a digest of an earlier version is gone, whatever its ticket', async () => {
  const { url } = await serve([goneCharts]);
  const answer = await fetch(`${url}/charts/anything`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([410, 'text/plain; charset=utf-8']);
});
