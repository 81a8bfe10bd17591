// Decides what may leave the visitor's browser. The snippet runs this before anything is sent, and the service runs it
// again on what arrives: if a page sends too much, the agent still doesn't see too much.

/** Character for masked text; spaces stay, so that the agent sees how much has been typed. */
const MASK = '•';
const SHOWN = 'data-cobrowse-show';
const MASKED = 'data-cobrowse-mask';
const MOST_FIELDS = 100_000;

const ELEMENT = 2;
const TEXT = 3;
const [FULL_SNAPSHOT, INCREMENTAL, META] = [2, 3, 4];
const [MUTATION, INPUT, STYLE_RULE, STYLE_DECLARATION, ADOPTED_STYLE] = [0, 5, 8, 13, 15];
/** Moves, presses, scrolling, size, touch, dragging and selection contain only numbers. */
const PLAIN_SOURCES = new Set([1, 2, 3, 4, 6, 12, 14]);

/** Elements that could run or load something, or navigate the browser. */
const DROPPED_TAGS = new Set(
  'script object embed applet frame frameset base meta portal fencedframe noscript param source track video audio animate set cobrowse-layer cobrowse-banner'.split(
    ' ',
  ),
);
const DROPPED_ATTRIBUTES = new Set(
  'srcdoc nonce integrity ping http-equiv srcset imagesrcset manifest archive codebase classid'.split(' '),
);
const LINK_ATTRIBUTES = new Set(['href', 'xlink:href', 'action', 'formaction', 'cite']);
const LOADING_ATTRIBUTES = new Set([
  'src',
  'poster',
  'data',
  'background',
  'longdesc',
  'lowsrc',
  'dynsrc',
  'rr_src',
  'rr_dataurl',
]);
const TOGGLES = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image']);

/** @param {string} text */
export const masked = (text) => text.replaceAll(/\S/gu, MASK);

/** An address without query and fragment; empty unless it leads to a page. @param {string} address */
export function bareAddress(address) {
  const text = address.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return /^[\w+.-]+:|^\\|^\/\//u.test(text) ? '' : text.replace(/[?#].*$/su, '');
  if (url.protocol === 'http:' || url.protocol === 'https:') return `${url.origin}${url.pathname}`;
  return '';
}

const isPicture = (value) => /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/u.test(value);

/** Decodes CSS escapes of letters, as in `u\72l(`. @param {string} css */
const plainLetters = (css) =>
  css.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|([g-z]))/giu, (escape, code, letter) => {
    const meant = letter ?? String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
    return /[a-z@]/iu.test(meant) ? meant : escape;
  });

/** Styles that load nothing. @param {string} css */
function cleanStyle(css) {
  return plainLetters(css)
    .replaceAll(/(?:-webkit-)?image-set\((?:[^()]|\([^()]*\))*\)/giu, 'none')
    .replaceAll(/@import\b[^;]*;?/giu, '')
    .replaceAll(/@font-face\s*\{[^}]*\}/giu, (rule) => (/url\(\s*["']?data:/iu.test(rule) ? rule : ''))
    .replaceAll(/url\(\s*(?:"[^"]*"|'[^']*'|[^)]*)\s*\)/giu, (url) =>
      /^url\(\s*["']?(?:data:(?:image|font|application\/font)|#)/iu.test(url) ? url : 'none',
    );
}

/** @param {string} tag @param {string} name @param {unknown} value */
function cleanAttribute(tag, name, value) {
  const known = name.toLowerCase();
  if (known.startsWith('on') || DROPPED_ATTRIBUTES.has(known)) return undefined;
  if (known === 'style' || known === '_csstext') return cleanStyles(value);
  if (typeof value !== 'string') return typeof value === 'object' ? undefined : value;
  if (LINK_ATTRIBUTES.has(known)) {
    const isReference = tag === 'use' || (value.startsWith('#') && tag !== 'a' && tag !== 'area');
    if (isReference) return value.startsWith('#') ? value : undefined;
    return tag === 'image' ? pictureOrNone(value) : bareAddress(value) || undefined;
  }
  if (LOADING_ATTRIBUTES.has(known)) return tag === 'iframe' ? undefined : pictureOrNone(value);
  // Attributes such as fill and mask take url(...), too.
  return /url\(/iu.test(value) ? cleanStyle(value) : value;
}

const pictureOrNone = (value) => (isPicture(value) ? value : undefined);

function cleanStyles(value) {
  if (typeof value === 'string') return cleanStyle(value);
  if (typeof value !== 'object' || value === null) return value === null ? null : undefined;
  const entries = Object.entries(value).map(([name, style]) => [name, cleanStyleValue(style)]);
  return Object.fromEntries(entries);
}

function cleanStyleValue(style) {
  if (typeof style === 'string') return cleanStyle(style);
  return Array.isArray(style)
    ? style.map((part) => (typeof part === 'string' ? cleanStyle(part) : ''))
    : style;
}

/** How to treat a form field; undefined for any other element. */
function fieldKind(tag, attributes) {
  const type = String(attributes.type ?? 'text').toLowerCase();
  const isShown = attributes[SHOWN] !== undefined && type !== 'password';
  if (tag === 'textarea' || tag === 'select') return isShown ? 'shown' : 'masked';
  if (tag !== 'input') return undefined;
  if (type === 'hidden' || type === 'file') return type;
  if (TOGGLES.has(type)) return 'toggle';
  return isShown ? 'shown' : 'masked';
}

const isEditable = (value) => value !== undefined && value !== null && String(value) !== 'false';

function insideOf(tag, attributes, kind, inside) {
  if (tag === 'style') return 'style';
  if (tag === 'select' && kind === 'shown') return 'select';
  if (tag === 'textarea') return kind === 'shown' ? null : 'text';
  if (attributes[MASKED] !== undefined) return 'text';
  if (attributes[SHOWN] !== undefined) return null;
  return isEditable(attributes.contenteditable) ? 'text' : inside;
}

function cleanAttributes(tag, attributes, { kind, inside }) {
  const cleaned = {};
  for (const [name, value] of Object.entries(attributes)) {
    const kept = cleanAttribute(tag, name, value);
    if (kept === undefined) continue;
    cleaned[name === 'rr_dataURL' ? 'src' : name] = kept;
  }
  if (kind === 'masked' && typeof cleaned.value === 'string') cleaned.value = masked(cleaned.value);
  if (kind === 'file') delete cleaned.value;
  // Which option is selected says as much as its text.
  if (tag === 'option' && inside !== 'select') delete cleaned.selected;
  return cleaned;
}

/**
 * Cleans the events of one page. Remembers the page's fields, so that later changes of them are cleaned the same way.
 * Doesn't throw on nonsense events: they are dropped.
 */
export function createCleaner() {
  /** Fields by the id of their node, and as `'text'` the text whose changes are masked. */
  const fields = new Map();
  let mustMaskAllText = false;

  function remember(id, kind) {
    if (fields.size < MOST_FIELDS) fields.set(id, kind);
    else mustMaskAllText = true;
  }

  /** @param {any} node @param {'text' | 'style' | 'select' | 'dropped' | null} inside what it is in */
  function cleanNode(node, inside) {
    if (node.type === TEXT) return cleanText(node, inside);
    if (node.type !== ELEMENT) {
      const children = node.childNodes?.map((child) => cleanNode(child, inside));
      return {
        ...node,
        ...(children && { childNodes: children }),
        ...(node.textContent && { textContent: '' }),
      };
    }
    const tag = String(node.tagName).toLowerCase();
    const { attributes = {}, childNodes = [] } = node;
    const isLoadingLink = tag === 'link' && attributes._cssText === undefined;
    if (inside === 'dropped' || DROPPED_TAGS.has(tag) || isLoadingLink) {
      remember(node.id, 'dropped');
      return { ...node, tagName: 'x-dropped', attributes: {}, childNodes: [] };
    }
    const kind = fieldKind(tag, attributes);
    if (kind !== undefined) remember(node.id, kind);
    if (kind === 'hidden') return { ...node, attributes: { type: 'hidden' }, childNodes: [] };
    const below = insideOf(tag, attributes, kind, inside);
    if (below !== null && below !== 'select') remember(node.id, kind ?? below);
    return {
      ...node,
      attributes: cleanAttributes(tag, attributes, { kind, inside }),
      childNodes: childNodes.map((child) => cleanNode(child, below)),
    };
  }

  function cleanText(node, inside) {
    if (inside === 'text') {
      remember(node.id, 'text');
      return { ...node, textContent: masked(String(node.textContent)) };
    }
    if (inside === 'dropped') return { ...node, textContent: '' };
    if (inside !== 'style') return node;
    remember(node.id, 'style');
    return { ...node, textContent: cleanStyle(String(node.textContent)) };
  }

  function cleanMutation(data) {
    for (const { id } of list(data.removes)) fields.delete(id);
    const adds = list(data.adds).map((add) => ({
      ...add,
      node: cleanNode(add.node, insideNode(add.parentId)),
    }));
    const attributes = list(data.attributes).map(changedAttributes);
    const texts = list(data.texts).map((text) => ({ ...text, value: cleanedText(text.id, text.value) }));
    return { source: MUTATION, texts, attributes, removes: list(data.removes), adds };
  }

  function insideNode(id) {
    const kind = fields.get(id);
    if (kind === 'style' || kind === 'dropped') return kind;
    return kind === 'text' || kind === 'masked' || mustMaskAllText ? 'text' : null;
  }

  function cleanedText(id, value) {
    if (typeof value !== 'string') return value;
    const kind = fields.get(id);
    if (kind === 'style') return cleanStyle(value);
    return kind === 'text' || mustMaskAllText ? masked(value) : value;
  }

  function changedAttributes({ id, attributes = {} }) {
    // Text sent before it became editable can't be told from other text, so from now on all of it is masked.
    if (isEditable(attributes.contenteditable)) mustMaskAllText = true;
    const kind = changedKind(id, attributes);
    const cleaned = {};
    for (const [name, value] of Object.entries(attributes)) {
      // The tag isn't known here: remove what would load something, and strip links.
      const kept = value === null ? null : cleanAttribute('', name, value);
      if (kept !== undefined && name !== 'selected') cleaned[name === 'rr_dataURL' ? 'src' : name] = kept;
    }
    const isSecret = kind === undefined ? mustMaskAllText : kind !== 'shown' && kind !== 'toggle';
    if (isSecret && typeof cleaned.value === 'string') cleaned.value = masked(cleaned.value);
    if (kind === 'hidden' || kind === 'file') delete cleaned.value;
    return { id, attributes: cleaned };
  }

  function changedKind(id, attributes) {
    const kind = fields.get(id);
    const type = attributes.type;
    if (kind === undefined || typeof type !== 'string') return kind;
    const changed = fieldKind('input', { type, ...(kind === 'shown' && { [SHOWN]: '' }) });
    fields.set(id, changed);
    return changed;
  }

  function cleanInput(data) {
    const kind = fields.get(data.id);
    if (kind === 'hidden' || kind === 'file') return null;
    const isOpen = kind === 'shown' || kind === 'toggle';
    const text = String(data.text ?? '');
    return {
      source: INPUT,
      id: data.id,
      isChecked: data.isChecked === true,
      text: isOpen ? text : masked(text),
    };
  }

  function cleanIncrement(data) {
    if (PLAIN_SOURCES.has(data.source)) return data;
    if (data.source === MUTATION) return cleanMutation(data);
    if (data.source === INPUT) return cleanInput(data);
    if ([STYLE_RULE, STYLE_DECLARATION, ADOPTED_STYLE].includes(data.source)) return cleanStyleEvent(data);
    return null;
  }

  return {
    /** The event as it may be sent; null if nothing of it may. @param {any} event */
    clean(event) {
      const { type, timestamp, data } = event ?? {};
      if (typeof timestamp !== 'number' || typeof data !== 'object' || data === null) return null;
      try {
        if (type === META) {
          const { href, width, height } = data;
          return { type, timestamp, data: { href: bareAddress(String(href)), width, height } };
        }
        if (type === FULL_SNAPSHOT) {
          fields.clear();
          mustMaskAllText = false;
          const { node, initialOffset } = data;
          return { type, timestamp, data: { node: cleanNode(node, null), initialOffset } };
        }
        const cleaned = type === INCREMENTAL ? cleanIncrement(data) : null;
        return cleaned && { type, timestamp, data: cleaned };
      } catch {
        return null;
      }
    },
    /** What kind of field a node is; undefined if it isn't one. @param {number} id */
    field: (id) => fields.get(id),
    /** Whether only a new snapshot can show what may be seen. */
    needsSnapshot: () => mustMaskAllText,
  };
}

const list = (value) => (Array.isArray(value) ? value : []);

/** Every text in it is CSS. */
function cleanStyleEvent(data) {
  const cleanAll = (value) => {
    if (typeof value === 'string') return cleanStyle(value);
    if (Array.isArray(value)) return value.map(cleanAll);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleanAll(inner)]));
  };
  return cleanAll(data);
}
