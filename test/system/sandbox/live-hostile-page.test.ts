import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createCleaner } from '../../../sandbox/service/live/clean-event.js';
import { startLocalService } from '../../cobrowse/local-service.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { standIn, watchLink } from '../../sandbox/service/stand-in.ts';
import { visitorPage } from '../../sandbox/live/sides.ts';

let lastId = 10;
const element = (tagName: string, attributes: object = {}, childNodes: readonly object[] = []) => {
  lastId += 1;
  return { type: 2, id: lastId, tagName, attributes, childNodes };
};
const text = (textContent: string, isStyle?: true) => {
  lastId += 1;
  return { type: 3, id: lastId, textContent, ...(isStyle ? { isStyle } : {}) };
};
const svg = (tagName: string, attributes: object, childNodes: readonly object[] = []) => ({
  ...element(tagName, attributes, childNodes),
  isSVG: true,
});

const built = z.looseObject({ id: z.number(), childNodes: z.array(z.unknown()).optional() });

/** Whatever a page might hold to run or load something where it is shown. */
function hostileNodes(from: string): readonly object[] {
  const script = `document.title = 'taken'; parent.document.title = 'taken'; fetch('${from}/fetch')`;
  return [
    element('script', { src: `${from}/script.js` }, [text(script)]),
    element('img', { src: `${from}/img`, srcset: `${from}/set 2x`, onerror: script, onload: script }),
    element('img', { src: 'data:image/png;base64,broken', onerror: script }),
    element('iframe', { src: `${from}/frame`, srcdoc: `<script>${script}</script>` }),
    element('iframe', { src: `javascript:${script}`, rr_src: `${from}/rr` }),
    element('object', { data: `${from}/object` }),
    element('embed', { src: `${from}/embed` }),
    element('link', { rel: 'stylesheet', href: `${from}/style.css` }),
    element('link', { rel: 'preload', as: 'script', href: `${from}/preload` }),
    element('link', { rel: 'dns-prefetch preconnect', href: from }),
    element('link', { _cssText: `@import "${from}/import"; body { background: url(${from}/css) }` }),
    element('style', {}, [
      text(`@import url('${from}/import2'); @font-face { font-family: x; src: url(${from}/font) }`, true),
    ]),
    element('style', {
      _cssText: `p { background: u\\rl("${from}/escaped") } a { cursor: image-set("${from}/set" 1x) }`,
    }),
    element('p', { style: `background-image: url("${from}/inline"); font-family: x` }, [text('Words')]),
    element('meta', { 'http-equiv': 'refresh', content: `0;url=${from}/refresh` }),
    element('base', { href: `${from}/base/` }),
    element('a', { href: `javascript:${script}`, ping: `${from}/ping` }, [text('Link')]),
    element('form', { action: `${from}/form` }, [
      element('button', { formaction: `${from}/formaction`, autofocus: '', onfocus: script }),
    ]),
    element('video', { src: `${from}/video`, poster: `${from}/poster`, autoplay: '' }, [
      element('source', { src: `${from}/source` }),
    ]),
    element('audio', { src: `${from}/audio`, autoplay: '' }),
    element('input', { type: 'image', src: `${from}/input` }),
    element('details', { open: '', ontoggle: script }),
    svg('svg', { onload: script }, [
      svg('image', { href: `${from}/svg-image`, 'xlink:href': `${from}/xlink` }),
      svg('use', { href: `${from}/use#x` }),
      svg('script', { href: `${from}/svg-script` }, [text(script)]),
      svg('animate', { attributeName: 'href', values: `javascript:${script}`, onbegin: script }),
      svg('rect', { fill: `url(${from}/fill#x)`, filter: `url(${from}/filter#x)` }),
      svg('foreignObject', {}, [element('iframe', { src: `${from}/foreign` })]),
    ]),
    element('portal', { src: `${from}/portal` }),
    element('canvas', { rr_dataURL: `${from}/canvas` }),
  ];
}

function hostilePage(from: string) {
  const html = element('html', { manifest: `${from}/manifest` }, [
    element('head'),
    {
      ...element('body', { background: `${from}/background`, onload: 'alert(1)' }, hostileNodes(from)),
      id: 4,
    },
  ]);
  const node = { type: 0, id: 1, childNodes: [html] };
  return [
    { type: 4, timestamp: 1, data: { href: `javascript:alert(1)`, width: 800, height: 600 } },
    { type: 2, timestamp: 2, data: { node, initialOffset: { left: 0, top: 0 } } },
  ];
}

const change = (data: object) => ({ type: 3, timestamp: 3, data });

/** Nodes that are added come one by one, children after their parents. */
const addsOf = (parentId: number, node: z.infer<typeof built>): readonly object[] => [
  { parentId, nextId: null, node: { ...node, childNodes: [] } },
  ...z
    .array(built)
    .parse(node.childNodes ?? [])
    .flatMap((child) => addsOf(node.id, child)),
];

const addition = (node: object) =>
  change({ source: 0, texts: [], removes: [], attributes: [], adds: addsOf(4, built.parse(node)) });

/** Harmless words at the end: once they are shown, all before them is. */
const later = (words: string) => [addition(element('p', {}, [text(words)]))];

/** The same again, as changes of a page that was harmless. */
function hostileChanges(from: string) {
  const nodes = hostileNodes(from);
  const attributes = [
    {
      id: 4,
      attributes: {
        background: `${from}/later`,
        onclick: 'alert(1)',
        style: { 'background-image': `url(${from}/later-style)` },
      },
    },
    {
      id: 20,
      attributes: { src: `${from}/later-img`, rr_dataURL: `${from}/later-canvas`, srcset: `${from}/x 2x` },
    },
  ];
  return [
    // Each by itself: the player gives up a change in which one part makes no sense.
    ...nodes.map(addition),
    change({ source: 0, texts: [], removes: [], attributes, adds: [] }),
    change({ source: 8, id: 20, adds: [{ rule: `p { background: url(${from}/rule) }` }] }),
    change({
      source: 15,
      id: 1,
      styleIds: [1],
      styles: [{ styleId: 1, rules: [{ rule: `@import url(${from}/adopted)` }] }],
    }),
    change({
      source: 9,
      id: 20,
      type: 0,
      commands: [{ property: 'drawImage', args: [{ rr_type: 'ImageBitmap', src: `${from}/x` }] }],
    }),
    change({ source: 10, family: 'x', fontSource: `url(${from}/font-event)`, buffer: false }),
    { type: 5, timestamp: 3, data: { tag: 'custom', payload: from } },
    { type: 6, timestamp: 3, data: { plugin: 'x', payload: from } },
    ...later('Later'),
  ];
}

describe('hostile content of a page', () => {
  it('is removed before it is sent anywhere', () => {
    const cleaner = createCleaner();
    const from = 'http://evil.example';
    const events = [...hostilePage(from), ...hostileChanges(from)].map((event) => cleaner.clean(event));
    const left = JSON.stringify(events).match(/http:\/\/evil\.example[^"\\ )]*|javascript:|"on\w+":/gu) ?? [];
    // Where a form leads to may stay: nobody sends it there.
    expect([...new Set(left)].toSorted()).toEqual([
      'http://evil.example/form',
      'http://evil.example/formaction',
    ]);
  });

  it.each([[null], [{ type: 2, timestamp: 1, data: { node: null } }]])(
    'is dropped if it makes no sense: %j',
    (event) => expect(createCleaner().clean(event)).toBeNull(),
  );
});

describe.skipIf(!hasChromium)('hostile content of a page, in the agent’s browser', () => {
  const browser = useChromium();

  it('runs nothing and loads nothing', async () => {
    // It must not be asked for anything.
    const elsewhere = await startLocalService((_, response) => response.end('document.title = "taken"'));
    onTestFinished(() => elsewhere.close());
    const from = elsewhere.url;
    const service = await standIn();
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const agent = await context.newPage();
    const outside: string[] = [];
    const done: string[] = [];
    context.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && origin !== service.url) outside.push(request.url());
    });
    context.on('dialog', (dialog) => {
      done.push(dialog.message());
      void dialog.dismiss();
    });
    context.on('page', (opened) => done.push(opened.url()));
    await agent.goto((await watchLink(service, 'jane4821')).url);
    // The only snapshot of this test is for whoever is there when it comes.
    await agent.getByText('Waiting for Jane.').waitFor();
    const visitor = await visitorPage(service, 'jane4821');
    await visitor.until('"t":"state"', 'Sam Lee');
    visitor.send({ t: 'answer', session: service.sessions()[0]?.id, allow: true });
    await visitor.until('"t":"snapshot"');
    visitor.send({ t: 'events', seq: 1, events: hostilePage(from) });
    const picture = agent.frameLocator('#stage iframe');
    await picture.getByText('Words').waitFor();
    visitor.send({ t: 'events', seq: 2, events: hostileChanges(from) });
    await picture.getByText('Later').waitFor();
    const within = `document.querySelector('#stage iframe').contentDocument`;
    await agent.evaluate(`for (const one of ${within}.querySelectorAll('a, button, summary')) one.click()`);
    visitor.send({ t: 'events', seq: 3, events: hostilePage(from) });
    visitor.send({ t: 'events', seq: 4, events: later('Last words') });
    await picture.getByText('Last words').waitFor();
    expect(await agent.title()).toBe('Jane Cooper · Live view');
    expect(await agent.locator('#stage iframe').getAttribute('sandbox')).toBe('allow-same-origin');
    expect(
      await agent.evaluate(`${within}.querySelectorAll('script, object, embed, meta, base, link').length`),
    ).toBe(0);
    expect({ outside, asked: elsewhere.requests, done }).toEqual({ outside: [], asked: [], done: [] });
  });
});
