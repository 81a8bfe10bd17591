import { describe, expect, it } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { ADA, atHome } from '../home/at-home.ts';
import { sqlite } from '../support/engines.ts';
import { ALEX, personIn, readable } from '../support/person.ts';
import { startForMany } from '../workspaces/many-stage.ts';

const { scopes } = manifest.oauth_config;
const without = { bot: scopes.bot.filter((scope) => !/^(?:usergroups|files):/.test(scope)) };

describe('an installation with fewer scopes than needed', () => {
  it('is named to admins in Home and by the doctor, with a link to install again', async () => {
    const { sandbox } = await startForMany({
      storeUrl: await sqlite.newUrl(),
      connects: true,
      sandboxOptions: { slack: { manifest: { ...manifest, oauth_config: { scopes: without } } } },
    });
    const words = 'Missing: usergroups:read, files:write. Install the app again';
    const home = await atHome(sandbox, ADA).open();
    const doctor = await personIn(sandbox, ADA).type('/cobrowse doctor');
    for (const blocks of [home, doctor.blocks]) {
      expect(readable(blocks)).toContain(words);
      expect(JSON.stringify(blocks)).toContain(`"url":"${sandbox.publicUrl}/slack/install"`);
    }
    expect(readable(await atHome(sandbox, ALEX).open())).not.toContain('Missing');
  });
});
