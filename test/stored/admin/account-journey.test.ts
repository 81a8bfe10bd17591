import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { PageView } from '../../../sandbox/slack/page-api.ts';
import { ADA, atHome } from '../../home/at-home.ts';
import { onlySqlite, engines, sqlite } from '../../support/engines.ts';
import { SALES, personIn, readable } from '../../support/person.ts';
import { startForMany } from '../../workspaces/many-stage.ts';
import { rawDatabase } from '../../workspaces/raw-database.ts';

/** Ada at the form behind Connect, or Change. */
async function atForm(sandbox: Sandbox, button = /^Connect/) {
  const ada = atHome(sandbox, ADA);
  await ada.open();
  await ada.press(button);
  const form = await sandbox.slack.until(ADA, ({ views }) =>
    views.find(({ title, submit }) => title === 'Co-browsing account' && submit !== undefined),
  );
  return { ada, form };
}

const wrongIn = (sandbox: Sandbox) =>
  sandbox.slack.until(ADA, ({ views }) =>
    views.map(({ errors }) => errors).find((errors) => Object.keys(errors).length > 0),
  );

const ofCloud = ({ service }: Sandbox, key = service.apiKey) => ({
  kind: 'cloud',
  address: service.url,
  key: key,
});

describe.each(engines)('the account of a workspace in the admins’ Home, in $engine', ({ newUrl }) => {
  it('is connected once it works, changed and disconnected; its key is nowhere to be read', async () => {
    const storeUrl = await newUrl();
    const { sandbox, lines } = await startForMany({ storeUrl });
    const { slack, service } = sandbox;
    const { ada, form } = await atForm(sandbox);
    const wrongKey = ['topsecret', 'wrong', 'key'].join('-');
    await ada.save(form, ofCloud(sandbox, wrongKey));
    expect(await wrongIn(sandbox)).toEqual({ key: expect.stringMatching(/^The service refused/) });
    expect(service.requests).toHaveLength(1);

    const home = await ada.saved(form, ofCloud(sandbox));
    expect(readable(home)).toContain(`Cloud: ${service.url}`);
    expect(readable(home)).toContain(`Connected by <@${ADA}>`);
    const alex = personIn(sandbox);
    expect(readable((await alex.type('/cobrowse jane')).blocks)).toContain('Jane Cooper');

    const { ada: again, form: change } = await atForm(sandbox, /Change: Co-browsing/);
    expect(JSON.stringify(change.blocks)).toContain(service.url);
    await again.saved(change, ofCloud(sandbox));

    const audit = await personIn(sandbox, ADA).type('/cobrowse audit');
    expect(audit.text).toContain(`Co-browsing account from none to ${new URL(service.url).host}`);

    await ada.open();
    const gone = await ada.pressFor(/^Disconnect/, /Disconnected/);
    expect(readable(gone.blocks)).toContain('Nobody here can find customers');
    expect((await alex.type('/cobrowse jane')).text).toContain('no co-browsing account yet');

    const shown = `${await rawDatabase(storeUrl)}${JSON.stringify([lines, slack.calls, slack.snapshot(ADA)])}`;
    expect(shown).toContain(new URL(service.url).host);
    expect(shown).not.toContain(service.apiKey);
    expect(shown).not.toContain(wrongKey);
  });
});

const start = async (options: Omit<Parameters<typeof startForMany>[0], 'storeUrl'> = {}) =>
  startForMany({ storeUrl: await sqlite.newUrl(), ...options });

describe.each(onlySqlite)('the form of a workspace’s account', () => {
  it('is opened by an admin’s button wherever something needs the account, and saves nothing once that’s lost', async () => {
    const { sandbox } = await start();
    const ada = personIn(sandbox, ADA);
    const answer = await ada.type('/cobrowse jane');
    expect(answer.text).toContain('Connect your co-browsing account in the Home tab.');
    await ada.press(answer, /^Connect/);
    const form = await ada.modal(
      ({ title, submit }) => title === 'Co-browsing account' && submit !== undefined,
    );
    expect((await personIn(sandbox).type('/cobrowse jane')).text).toContain('Ask a workspace admin');

    sandbox.slack.changePerson(ADA, { admin: false });
    await atHome(sandbox, ADA).save(form, ofCloud(sandbox));
    await ada.modal(({ blocks }) => readable(blocks).includes('Nothing changed.'));
    expect(sandbox.service.requests).toEqual([]);
    sandbox.slack.changePerson(ADA, { admin: true });
    expect(readable(await atHome(sandbox, ADA).open())).toContain('Connect your co-browsing account.');
  });

  it('suggests the operator’s address, and says beside each field what is wrong with it', async () => {
    const { sandbox } = await start({ settings: { suggestedAddress: 'https://cobrowse.example' } });
    const { ada, form } = await atForm(sandbox);
    expect(JSON.stringify(form.blocks)).toContain('"initial_value":"https://cobrowse.example"');
    const wrong = async (changes: Parameters<typeof ada.save>[1]) => {
      await ada.save(form, { ...ofCloud(sandbox), ...changes });
      return wrongIn(sandbox);
    };
    const others = ['http://cobrowse.example', 'https://169.254.169.254', 'https://[::ffff:10.0.0.1]'];
    for (const address of ['https://localhost:8443', ...others])
      expect((await wrong({ address }))['address']).toContain('a public https');
    for (const address of ['cobrowse.example', 'https://u:p@cobrowse.example', 'https://a.example/?k=1'])
      expect((await wrong({ address }))['address']).toContain('the whole address');
    expect(await wrong({ kind: 'on-premise', key: 'two words' })).toMatchObject({
      key: expect.stringContaining('one word'),
      cloud_address: expect.stringContaining('Enter the whole address'),
      cloud_key: expect.stringContaining('one word'),
    });
    expect(sandbox.service.requests).toEqual([]);
  });

  it('says that it’s saving while a slow service is asked, and comes back with what was typed, but for the key', async () => {
    const { sandbox, lines } = await start();
    const { slack, service } = sandbox;
    const { ada, form } = await atForm(sandbox);
    service.misbehave({ latencyMs: 2_400, fail: { with: 503 } });
    const saving = ada.save(form, ofCloud(sandbox));
    const shows = (look: (view: PageView) => boolean) =>
      slack.until(ADA, ({ views }) => views.find((view) => view.id === form.id && look(view)));
    await shows(({ blocks }) => readable(blocks).includes('Saving…'));
    await saving;
    const back = await shows(({ submit }) => submit !== undefined);
    expect(back.title).toBe('Co-browsing account');
    expect(readable(back.blocks)).toContain('The co-browsing service is busy.');
    expect(JSON.stringify(back.blocks)).toContain(`"initial_value":"${service.url}"`);
    expect(JSON.stringify([slack.calls, lines])).not.toContain(service.apiKey);
    service.misbehave({});
    const home = await ada.saved(back, ofCloud(sandbox));
    expect(readable(home)).toContain(`Connected by <@${ADA}>`);
  });

  it('sets an installation beside the cloud', async () => {
    const { sandbox } = await start({ sandboxOptions: { deployment: 'on-premise' } });
    const { service, restKey } = sandbox;
    const { ada, form } = await atForm(sandbox);
    const home = await ada.saved(form, {
      kind: 'on-premise',
      address: service.onPremise.baseEndpoint,
      key: restKey,
      cloud_address: service.url,
      cloud_key: service.apiKey,
    });
    expect(readable(home)).toContain(`On-premise: ${service.onPremise.baseEndpoint}`);
    expect(readable((await personIn(sandbox).type('/cobrowse jane')).blocks)).toContain('Jane');
    expect((await personIn(sandbox).type('/cobrowse usage')).text).toContain('online');
  });
});

describe.each(onlySqlite)('the summary channel of a workspace', () => {
  it('is set by its admins, and takes the summaries that have none', async () => {
    const { sandbox } = await start({ connects: true });
    const ada = atHome(sandbox, ADA);
    await ada.open();
    const form = await ada.pressFor(/Change: Summary channel/, /If empty, the agent/);
    const selected = { type: 'conversations_select', selected_conversation: SALES };
    await ada.filledAfter(
      () => sandbox.slack.submit({ as: ADA, view_id: form.id, state: { channel: { value: selected } } }),
      1,
    );
    expect(JSON.stringify(await ada.open())).toContain(`"channel_id":"${SALES}"`);
    const { text } = await personIn(sandbox, ADA).type('/cobrowse audit');
    expect(text).toContain('Summary channel from none');
  });
});
