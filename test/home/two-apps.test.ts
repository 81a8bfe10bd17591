import { beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { RULE_FORM as FORM } from '../../src/messages/action-ids.ts';
import { checkedSandbox, keptLog } from '../support/checked-sandbox.ts';
import { hasPostgres, storeOnPostgres } from '../support/engines.ts';
import { SAM, readable } from '../support/person.ts';
import { ADA, atHome } from './at-home.ts';

describe.skipIf(!hasPostgres)('two admins at two apps over one database', () => {
  const storeUrl = storeOnPostgres();
  const { sandbox } = checkedSandbox(() => ({ storeUrl: storeUrl() }));
  const ports: number[] = [];

  beforeAll(async () => {
    const { config, slack, app } = sandbox();
    const other = await startApp({ ...config, port: 0 }, { log: keptLog().log });
    ports.push(app.port, other.port);
    slack.changePerson(SAM, { admin: true });
    return () => other.stop();
  });

  /** From now on Slack sends everything to this one. */
  const sendTo = (app: 0 | 1) => sandbox().slack.setRequestUrl(`http://127.0.0.1:${ports[app]}/slack/events`);

  async function openRule(userId: string, what: RegExp) {
    const admin = atHome(sandbox(), userId);
    await admin.open();
    await admin.press(what);
    const form = await sandbox().slack.until(userId, ({ views }) =>
      views.find(({ blocks }) => JSON.stringify(blocks).includes(`"${FORM.whoBlock}"`)),
    );
    /** Gives what the form's place says then; undefined where it closed. */
    return async () => {
      await admin.submitted(form, { [FORM.whoBlock]: FORM.admins });
      const left = sandbox()
        .slack.snapshot(userId)
        .views.find(({ id }) => id === form.id);
      if (left === undefined) return undefined;
      await sandbox().slack.closeView({ as: userId, view_id: left.id });
      return readable(left.blocks);
    };
  }

  it('change different rules at once, and both stay', async () => {
    const saveAsAda = await openRule(ADA, /^Change: Who \w+ see usage/);
    sendTo(1);
    const saveAsSam = await openRule(SAM, /^Change: Who \w+ delete/);
    const bySam = saveAsSam();
    sendTo(0);
    expect(await Promise.all([bySam, saveAsAda()])).toEqual([undefined, undefined]);
    for (const app of [0, 1] as const) {
      sendTo(app);
      const home = readable(await atHome(sandbox(), ADA).open());
      expect(home).toMatch(/Who \w+ see usage: admins/);
      expect(home).toMatch(/Who \w+ delete[^:]*: admins/);
    }
  });

  it('change the same rule, and the second is told who was first', async () => {
    sendTo(0);
    const saveAsAda = await openRule(ADA, /^Change: Who \w+ watch/);
    sendTo(1);
    const saveAsSam = await openRule(SAM, /^Change: Who \w+ watch/);
    expect(await saveAsSam()).toBeUndefined();
    sendTo(0);
    expect(await saveAsAda()).toContain(`<@${SAM}>`);
  });
});
