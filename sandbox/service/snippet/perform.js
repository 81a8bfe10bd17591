import { BLOCKED, isShown } from './page-stream.js';

const TEXT_TYPES = new Set(
  'text search tel url email number date month week time datetime-local color range'.split(' '),
);

/** What an act needs beyond being seen. */
const NEEDS = {
  draw: 'draw',
  wipe: 'draw',
  click: 'click',
  scroll: 'scroll',
  type: 'type',
  choose: 'type',
  redirect: 'agent_redirect',
  reload: 'agent_redirect',
};

const done = { result: 'done' };
const refused = (why) => ({ result: 'refused', why });

/**
 * Does what an agent does on the page, after checking it again: the service has checked too, but only here can you see
 * what is really on the page.
 *
 * @param {any} act
 * @param {{ access: readonly string[], node: (id: number) => Node | null, overlay: import('./overlay.js').Overlay, by:
 *   string }} around
 * @returns {{ result: string, why?: string }}
 */
export function perform(act, { access, node, overlay, by }) {
  const need = NEEDS[act.kind];
  if (need !== undefined && !access.includes(need)) return refused('no-access');
  switch (act.kind) {
    case 'pointer':
      return (overlay.point(by, act.x, act.y), done);
    case 'pointer-off':
      return (overlay.hidePointer(), done);
    case 'draw':
      return (overlay.draw(act.line, act.points), done);
    case 'wipe':
      return (overlay.wipe(), done);
    case 'redirect':
      return redirect(act.url);
    case 'reload':
      return (location.reload(), done);
    case 'scroll':
      return scroll(act.node === null ? null : node(act.node), act);
    default:
      return onElement(act, elementOf(node(act.node)), overlay, by);
  }
}

function onElement(act, element, overlay, by) {
  if (element === null) return refused('gone');
  if (element.closest(BLOCKED) !== null) return refused('own');
  if (act.kind === 'highlight') {
    overlay.highlight(by, element);
    element.dispatchEvent(new CustomEvent('cobrowse:highlight', { bubbles: true, composed: true }));
    return done;
  }
  const why = whyNot(element);
  if (why !== undefined) return refused(why);
  overlay.ripple(element);
  if (act.kind === 'click') return click(element);
  if (act.kind === 'type') return type(element, act.text);
  return act.kind === 'choose' ? choose(element, act.value) : refused('bad-act');
}

/** @param {Node | null} node @returns {HTMLElement | null} */
function elementOf(node) {
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  return element?.isConnected === true ? element : null;
}

/** Fields that only the visitor may touch, even through their labels. @param {Element} element */
function whyNot(element) {
  const control = element.closest('label')?.control ?? element.closest('input, textarea, select') ?? element;
  if (control instanceof HTMLInputElement) {
    if (control.type === 'file') return 'file';
    if (!TEXT_TYPES.has(control.type) && control.type !== 'password') return undefined;
    return isShown(control) ? undefined : 'masked';
  }
  if (control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement)
    return isShown(control) ? undefined : 'masked';
  if (element.isContentEditable) return isShown(element.closest('[contenteditable]')) ? undefined : 'masked';
  return undefined;
}

function click(element) {
  const link = element.closest('a[target]');
  // Only a person's own press can open a window.
  if (link instanceof HTMLAnchorElement && !['', '_self', '_top', '_parent'].includes(link.target))
    return refused('popup');
  if (element.closest('select') !== null) return refused('popup');
  if (element instanceof HTMLInputElement && TEXT_TYPES.has(element.type)) return (element.focus(), done);
  if (element instanceof HTMLTextAreaElement) return (element.focus(), done);
  if (element.closest(':disabled') !== null) return refused('no-effect');
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
  return done;
}

/** Frameworks listen to the events, and read the value through the element's own setter. */
function type(element, text) {
  if (element.isContentEditable) {
    element.textContent = text;
  } else {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement))
      return refused('no-effect');
    if (element.disabled || element.readOnly) return refused('no-effect');
    const { prototype } = element instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, text);
  }
  tellOfChange(element);
  return done;
}

function choose(element, value) {
  if (!(element instanceof HTMLSelectElement) || element.disabled) return refused('no-effect');
  if (![...element.options].some((option) => option.value === value && !option.disabled))
    return refused('no-effect');
  element.value = value;
  tellOfChange(element);
  return done;
}

function tellOfChange(element) {
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

function scroll(node, { node: id, x, y }) {
  const where = { left: x, top: y, behavior: 'instant' };
  if (id === null || node === document || node === document.documentElement) return (scrollTo(where), done);
  const element = elementOf(node);
  if (element === null) return refused('gone');
  return (element.scrollTo(where), done);
}

function redirect(address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/u.test(url.protocol)) return refused('bad-act');
  location.assign(url.href);
  return done;
}
