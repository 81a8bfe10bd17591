import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { PRESS_REFUSALS } from '../../src/watch/press-refusals.ts';
import type { Reply } from '../../src/http/server.ts';
import * as pages from '../../src/watch/pages.ts';

const kinds = ['not-found', 'limit-reached', 'refused-key', 'busy', 'not-understood'] as const;

/** Every page that stands as it is, and those made for a failure. */
const fixed = Object.entries(pages).flatMap(([name, page]): [string, Reply][] =>
  typeof page === 'function' ? [] : [[name, page]],
);
const joining = {
  name: '<b>Sam</b>',
  agoMs: 1,
  action: 'join/"><script>alert(1)</script>',
  leadsTo: "'self' https:",
};
const made: readonly [string, Reply][] = [
  ['joining', pages.joinPage(joining)],
  ['opening again', pages.againPage(joining)],
  ['waiting', pages.waitingPage('?again')],
  ...PRESS_REFUSALS.map((why): [string, Reply] => [why, pages.refusedPage(why)]),
];
const failures = kinds.map((kind): [string, Reply] => [
  kind,
  pages.failurePage(new CobrowseError(kind, 'GET /usage', { code: '<script>alert(1)</script>' })),
]);

/** A content security policy by its directives. */
function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    policy
      .split(';')
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name = '', ...sources]) => [name, sources]),
  );
}

describe('a page of a Watch address', () => {
  it.each([...fixed, ...made, ...failures])(
    'lets nothing run and nobody frame it: %s',
    (_, { headers = {}, body }) => {
      const policy = directivesOf(headers['content-security-policy'] ?? '');
      expect(policy.get('default-src')).toEqual(["'none'"]);
      expect(policy.get('base-uri')).toEqual(["'none'"]);
      expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
      // A form's redirect is held to its policy, too: a link leads to another host, by https.
      const { 'form-action': leads, ...others } = Object.fromEntries(policy);
      expect(["'none'", "'self'", "'self' https:"]).toContain(leads?.join(' '));
      const sources = Object.values(others).flat();
      expect(sources.filter((source) => !/^'(?:none|sha256-[\w+/]{43}=)'$/.test(source))).toEqual([]);
      expect(headers['cache-control']).toBe('no-store');
      expect(String(body)).not.toMatch(/<script[^>]*>alert|\son\w+=|javascript:/i);
    },
  );
});
