import { usageCard } from '../views/usage-card.ts';
import { ifAllowed } from './allowed.ts';
import { defineCommand } from './command.ts';
import { freeText } from './slack-input.ts';

export const usageCommand = defineCommand({
  name: 'usage',
  usage: 'usage',
  summary: 'Show account usage',
  needs: 'usage',
  argument: freeText,
  run: (_nothing, caller, services) =>
    ifAllowed('usage', { caller, services }, async () => {
      const { cobrowse, recording } = services;
      return usageCard(await recording.around(caller, { action: 'usage' }, () => cobrowse.usage()));
    }),
});
