import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readArguments, usage } from '../../../sandbox/arguments.ts';
import { misbehaviors } from '../../../sandbox/service/misbehavior.ts';
import { runNode } from './run-program.ts';

const read = (line: string) => readArguments(line.split(' ').filter(Boolean));

describe('the switches of the sandbox', () => {
  it('are all in the help', () => {
    expect(read('--help --on-premise')).toBe('help');
    const flags = 'port socket workspaces on-premise connected story log service-only session-limit';
    for (const flag of [...flags.split(' '), 'without-proxy', 'misbehave'])
      expect(usage).toContain(`--${flag}`);
    for (const line of usage.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('say how the service misbehaves in JSON, and what is wrong with it', () => {
    for (const [json] of misbehaviors)
      expect(read(`--misbehave ${json}`)).toMatchObject({ misbehavior: JSON.parse(json) });
    for (const json of ['{"fail":{"with":200}}', '{"latency":1}', 'slow'])
      expect(read(`--misbehave ${json}`)).toMatchObject({ complaint: expect.any(String) });
  });
});

/** Starts the sandbox as `npm run sandbox` does, and gives what it prints. */
async function started(...words: readonly string[]) {
  const child = spawn(process.execPath, ['src/start.js', 'sandbox', '--port', '0', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('Ctrl+C')) break;
  }
  return { child, printed };
}

/** Lets the packages of the live view be as if they weren't installed. */
const WITHOUT_THEM = `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    if (name.startsWith('@rrweb/')) throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  } });`;

describe('the sandbox in the terminal', () => {
  it('says what to install where the app alone is installed', async () => {
    const hooks = `data:text/javascript,${encodeURIComponent(WITHOUT_THEM)}`;
    expect(await runNode(['--import', hooks, 'src/start.js', 'sandbox', '--port', '0'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The sandbox needs packages that the app does without: run "npm ci" without --omit=dev.\n',
    });
  });

  it('prints the addresses and keys of the stand-in service alone, which work, and ends on SIGTERM', async () => {
    const { child, printed } = await started('--service-only', '--on-premise');
    const word = (name: string) => new RegExp(`${name} +(\\S+)`, 'u').exec(printed)?.[1] ?? '';
    for (const [url, headers] of [
      [`${word('Cloud')}/v1.3/list?search=jane`, { 'x-api-key': word('API key') }],
      [`${word('On-premise')}/api/visitors/list/search?q=jane`, { authorization: word('REST key') }],
    ] as const)
      expect(await (await fetch(url, { headers })).text()).toContain('Jane Cooper');
    const [, snippet = '', siteKey] =
      /src="([^"]+)" data-site-key="(site_[\w-]+)" async/u.exec(printed) ?? [];
    expect(siteKey).toBe(word('Site key'));
    expect(printed.match(/<script[^>]*>/u)?.[0]).not.toContain(word('API key'));
    const script = await fetch(snippet);
    expect([script.status, script.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
