import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn } from '../support/person.ts';
import { ADA } from './audit-stage.ts';

describe('/cobrowse doctor', () => {
  const { sandbox, logLines } = checkedSandbox();

  it('examines the installation for an admin', async () => {
    const { text } = await personIn(sandbox(), ADA).type('/cobrowse doctor');
    expect(text).toContain('0 failures, 1 warning');
    expect(text).toContain('Warning · Database: It’s in memory');
    expect(text).toContain(
      'Public address: A test webhook reached an app with these SECRET_KEYS and was stored.',
    );
  });

  it('tells everybody else whom to ask, and writes it down', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse doctor');
    expect(text).toBe(
      'Only workspace admins and owners can run this.\nAsk one of them. On the app’s server, npm run doctor does the same.',
    );
    expect(logLines.some((line) => line.includes('"action":"refusal"') && line.includes('not-admin'))).toBe(
      true,
    );
  });
});
