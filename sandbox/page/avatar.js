import { html } from './vendor/lit-html/lit-html.js';

const COLORS = 7;

/**
 * A person's or app's initials as their picture. Hidden from screen readers, since the name is beside it.
 * @param {import('../slack/page-api.ts').PageUser} user
 */
export function avatar(user) {
  let mix = 0;
  for (const letter of user.id) mix = (mix * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return html`<span class="avatar avatar-${mix % COLORS}" aria-hidden="true">${user.initials}</span>`;
}
