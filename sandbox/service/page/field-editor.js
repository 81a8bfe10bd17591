const SEND_MS = 150;

/**
 * Lets the agent type into one of the visitor's fields, or choose from its list, by putting an editable field over it.
 * The visitor's browser wouldn't open a list without a person's press there.
 *
 * @param {HTMLElement} surface
 * @param {ReturnType<typeof import('./screen.js').createScreen>} screen
 * @param {(act: object) => void} act
 */
export function createFieldEditor(surface, screen, act) {
  /** @type {{ field: HTMLElement, finish: () => void } | null} */
  let open = null;

  function close() {
    const closing = open;
    open = null;
    closing?.finish();
    closing?.field.remove();
  }

  /** @param {HTMLElement} field @param {Element} target @param {() => void} [finish] */
  function show(field, target, finish = () => {}) {
    close();
    const { left, top, width, height } = screen.boxOf(target);
    field.className = 'field-editor';
    Object.assign(field.style, {
      left: `${left}px`,
      top: `${top}px`,
      minWidth: `${Math.max(width, 140)}px`,
      minHeight: `${Math.max(height, 30)}px`,
    });
    const shown = { field, finish };
    open = shown;
    surface.append(field);
    field.focus();
    field.addEventListener('blur', () => open === shown && close());
    field.addEventListener('keydown', (event) => {
      event.stopPropagation();
      const isDone = event.key === 'Escape' || (event.key === 'Enter' && field.tagName !== 'TEXTAREA');
      if (!isDone) return;
      close();
      surface.focus();
    });
  }

  return {
    close,
    /** @param {Element} target a field that is shown @param {number} node */
    type(target, node) {
      const field = document.createElement(target.tagName === 'TEXTAREA' ? 'textarea' : 'input');
      field.value = target.value ?? target.textContent ?? '';
      field.setAttribute('aria-label', 'Type for the visitor');
      let timer = 0;
      const send = () => {
        clearTimeout(timer);
        timer = 0;
        act({ kind: 'type', node, text: field.value });
      };
      field.addEventListener('input', () => (timer ||= setTimeout(send, SEND_MS)));
      show(field, target, () => timer > 0 && send());
    },
    /** @param {Element} target a list that is shown @param {number} node */
    choose(target, node) {
      const field = document.createElement('select');
      field.setAttribute('aria-label', 'Choose for the visitor');
      for (const option of target.options)
        field.append(new Option(option.textContent, option.value, false, option.selected));
      field.size = Math.min(Math.max(target.options.length, 2), 8);
      const choose = () => {
        act({ kind: 'choose', node, value: field.value });
        close();
      };
      field.addEventListener('click', (event) => event.target instanceof HTMLOptionElement && choose());
      field.addEventListener('keydown', (event) => event.key === 'Enter' && choose());
      show(field, target);
    },
  };
}
