import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { page } from '../../src/http/page.ts';

const words = { title: 'Gone', text: 'The visitor is gone.', next: 'Search again.' };
const bodyOf = (reply: { readonly body?: string }) => reply.body ?? '';

describe('a page for a person', () => {
  const reply = page(404, words);
  const body = bodyOf(reply);

  it('says what happened and what to do next, under one heading that is also the title', () => {
    expect(reply.status).toBe(404);
    expect(body).toContain('<title>Gone</title>');
    expect(body.match(/<h1>/g)).toHaveLength(1);
    expect(body).toContain('<h1>Gone</h1><p>The visitor is gone.</p>');
    expect(body).toContain('>Search again.</p>');
  });

  it('is readable on a phone and in the dark, and kept out of caches and search engines', () => {
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(body).toContain('<meta name="viewport" content="width=device-width,initial-scale=1">');
    expect(body).toContain('@media (prefers-color-scheme:dark)');
    expect(body).toContain('<meta name="robots" content="noindex">');
  });

  it('allows only its own style in its content security policy', () => {
    const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = (reply.headers?.['content-security-policy'] ?? '').split('; ');
    expect(policy.toSorted()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      `style-src 'sha256-${hash}'`,
    ]);
  });

  it('shows hostile words as text', () => {
    const hostile = `</title></p><script>alert("1")</script><img src=x onerror='x'>&amp;`;
    const shown = bodyOf(page(200, { title: hostile, text: hostile, next: hostile }));
    expect(shown).not.toMatch(/<script|<img|alert\("/);
    const escaped = hostile.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
    expect(shown.split(escaped)).toHaveLength(5);
  });
});
