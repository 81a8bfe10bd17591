import { describe, expect, it } from 'vitest';
import { createLookRecords } from '../../src/session-end/agent-looks.ts';
import { openDamageable } from '../storage/damage.ts';

describe('the record of looks at an agent', () => {
  it('begins anew where it is damaged, and is kept again', async () => {
    const { storage, damage } = await openDamageable();
    const records = createLookRecords({
      looks: storage.store('looks'),
      claims: storage.store('claims'),
      now: Date.now,
    });
    const agent = { workspaceId: 'T1', userId: 'U1', agentId: 'alex' };
    const never = await records.of(agent);
    await records.write(agent, { ...never, failures: 3 });
    expect(await records.of(agent)).toMatchObject({ failures: 3 });
    damage('looks', 'T1:U1:');
    expect(await records.of(agent)).toEqual(never);
    await records.write(agent, { ...never, failures: 1 });
    expect(await records.of(agent)).toMatchObject({ failures: 1 });
  });
});
