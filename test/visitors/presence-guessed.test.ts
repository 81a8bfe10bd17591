import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../cobrowse/stage.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn } from '../support/person.ts';

const ADA = 'U0ADA000005';
const visitors = [
  { short_id: 'j1', identities: ['Jane Cooper'], is_online: true },
  { short_id: 'k1', identities: ['Kim Noor'], is_online: true },
  { short_id: 'n1', identities: ['Noah Weber'], is_online: false },
];

describe('a service that searches names alone, and knows no limit', () => {
  const { sandbox } = checkedSandbox();

  it('has nobody said to be away while they’re online, and is described by the doctor', async () => {
    const service = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
      const search = searchParams.get('search') ?? '';
      const found = visitors.filter(({ identities: [name = ''] }) => name.toLowerCase().includes(search));
      const usage = { visitors: { online_now: 2 } };
      if (searchParams.has('max_results')) response.writeHead(422).end('unknown parameter');
      else if (request.method === 'DELETE') response.end('ok');
      else if (pathname.endsWith('/list')) response.end(JSON.stringify({ status: 'ok', visitors: found }));
      else if (pathname.endsWith('/usage')) response.end(JSON.stringify({ status: 'ok', usage }));
      else response.writeHead(404).end();
    });
    const app = await appBefore(sandbox(), service.url);
    onTestFinished(() => app.stop());
    await sandbox().slack.openHome({ as: ADA });
    const shown = await sandbox().slack.until(ADA, ({ home }) => {
      const text = JSON.stringify(home);
      return text.includes('2 online now') ? text : undefined;
    });
    expect(shown).toContain('Jane Cooper');
    expect(shown).not.toContain('Nobody is online');
    const { text } = await personIn(sandbox(), ADA).type('/cobrowse doctor');
    expect(text).toContain('The service refuses the parameter that limits a list');
    expect(text).toContain('listLimit in COBROWSE_WIRE_NAMES');
    expect(text).toContain('doesn’t understand the search for who is online');
  });
});
