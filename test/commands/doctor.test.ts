import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn } from '../support/person.ts';

const ADA = 'U0ADA000005';

describe('/cobrowse doctor', () => {
  const { sandbox, logLines } = checkedSandbox();

  it('examines the installation for an admin', async () => {
    const { text } = await personIn(sandbox(), ADA).type('/cobrowse doctor');
    expect(text).toContain('0 failures, 1 warning');
    expect(text).toContain('Warning: Store. It is in memory');
    expect(text).toContain(
      'OK: Public address. A webhook sent to it reached an app with these SECRET_KEYS, and was stored.',
    );
  });

  it('tells everybody else whom to ask, and writes it down', async () => {
    const { text } = await personIn(sandbox()).type('/cobrowse doctor');
    expect(text).toBe(
      'This is for admins and owners of this workspace.\nAsk one of them; whoever runs the app can type npm run doctor.',
    );
    expect(logLines.some((line) => line.includes('"action":"refusal"') && line.includes('not-admin'))).toBe(
      true,
    );
  });

  it('says in words what fails', async () => {
    sandbox().slack.fail('auth.test', 'token_revoked', 1);
    const { text } = await personIn(sandbox(), ADA).type('/cobrowse doctor');
    expect(text).toContain('Failure: Slack token. Slack refuses it (token_revoked).');
  });
});
