import { describe, expect, it } from 'vitest';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { standIn, watchLink } from './stand-in.ts';

async function openPage(service: StandInService, visitorId: string, body: object = {}) {
  const { url } = await watchLink(service, visitorId, body);
  const response = await fetch(url);
  return { url, response, html: await response.text() };
}

describe('the watch page', () => {
  it('loads nothing from elsewhere and is not stored', async () => {
    const { response, html } = await openPage(await standIn(), 'jane4821');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
        "img-src data:; font-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).not.toMatch(/(?:src|href)="https?:/u);
  });

  it('shows a hostile name as harmless text', async () => {
    const name = '</title><!channel> <img src=x onerror=alert(1)>"><script>alert(1)</script><b>&amp;';
    const visitor = { short_id: 'x', identities: [name], email: name, tags: [name], location_city: name };
    const service = await standIn({ seed: [visitor] });
    const { html } = await openPage(service, 'x', { agent: { id: 'a', name }, initial_notes: name });
    expect(html).not.toMatch(/<(?:img|b>|script>alert)|<\/title>.*<\/title>/su);
  });

  it('follows the options of the link', async () => {
    const { html } = await openPage(await standIn(), 'jane4821', {
      branding: { naked: true, on_end_url: 'https://acme.example/done?a=1&b=2' },
      permissions: { allow_draw: false },
      viewer: { id: 'v', name: 'Vic Viewer' },
    });
    expect(html).toContain('data-naked="true"');
    expect(html).toContain('data-on-end="https://acme.example/done?a=1&amp;b=2"');
    expect(html).toContain('data-tool="draw" aria-pressed="false" disabled');
    expect(html).toContain('Vic Viewer');
  });
});

it('beside the sandbox’s shop, the watch page shows the visitor’s own page, and lets no other site in', async () => {
  const service = await standIn({ shopUrl: 'http://127.0.0.1:9', story: true });
  const { html, response } = await openPage(service, 'jane4821');
  expect(html).toMatch(
    /<iframe title="[^"]+" src="http:\/\/127\.0\.0\.1:9\/checkout#visitor=[\w-]+&amp;name=Jane\+Cooper&amp;story=1">/u,
  );
  expect(response.headers.get('content-security-policy')).toContain('frame-src http://127.0.0.1:9;');
});

it('the log never holds a watch link', async () => {
  const lines: string[] = [];
  const service = await standIn({ log: (line) => lines.push(line) });
  const { url } = await openPage(service, 'jane4821');
  await fetch(`${url}/end`, { method: 'POST' });
  expect(lines).toContain('GET /watch/[link] 200');
  expect(lines.join('\n')).not.toContain(url.split('/').at(-1));
});
