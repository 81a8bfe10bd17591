import { adminsOnlyCommand, findingsReport } from '../messages/findings.ts';
import { asked, recordRefusal } from '../commands/allowed.ts';
import { defineCommand } from '../commands/command.ts';
import { freeText } from '../commands/slack-input.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  usage: 'doctor',
  summary: 'Check the setup and suggest fixes (admins only)',
  level: 'admin',
  argument: freeText,
  async run(_nothing, caller, services) {
    const isAdmin = await asked('doctor', { caller, services }, () => services.isAdmin(caller));
    if (isAdmin) return findingsReport(await services.examine(caller));
    await recordRefusal('doctor', 'not-admin', { caller, services });
    return adminsOnlyCommand();
  },
});
