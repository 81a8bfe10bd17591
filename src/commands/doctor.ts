import { adminsOnlyCommand, findingsReport } from '../views/findings.ts';
import { defineCommand } from './command.ts';
import { freeText } from './slack-input.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  usage: 'doctor',
  summary: 'Examine the installation and say what to do; for admins.',
  argument: freeText,
  async run(_nothing, caller, { isAdmin, examine, record }) {
    const { workspaceId, userId } = caller;
    if (await isAdmin(caller)) return findingsReport(await examine());
    await record({ workspaceId, userId, deed: 'refusal', outcome: 'not-admin', detail: { act: 'doctor' } });
    return adminsOnlyCommand();
  },
});
