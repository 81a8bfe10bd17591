import { defineCommand } from '../commands/command.ts';
import { freeText } from '../commands/slack-input.ts';
import type { Caller } from '../commands/caller.ts';
import { adminsOnlyCommand, findingsReport } from '../messages/findings.ts';
import type { Finding } from '../messages/findings.ts';

/** @param examine names no channel that the caller can't see. Never rejects. */
export const createDoctorCommand = (examine: (caller: Caller) => Promise<readonly Finding[]>) =>
  defineCommand({
    name: 'doctor',
    usage: 'doctor',
    summary: 'Check the setup and suggest fixes (admins only)',
    right: { admins: 'doctor', refused: adminsOnlyCommand },
    level: 'admin',
    argument: freeText,
    run: async (_nothing, caller) => findingsReport(await examine(caller)),
  });
