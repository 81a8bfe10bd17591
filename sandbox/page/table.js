import { html } from './vendor/lit-html/lit-html.js';
import { richText } from './rich-text.js';

/**
 * All rows of a data table, plainly: in Slack they come in pages, and can be sorted and filtered.
 * @param {import('./page.js').Snapshot} snapshot
 * @param {{ caption: string, rows: object[][] }} block
 */
export function table(snapshot, { caption, rows: [heads, ...rows] }) {
  const cell = (one) => (one.type === 'rich_text' ? richText(snapshot, one) : one.text);
  return html`<div class="block table-block" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map((one) => html`<th scope="col">${cell(one)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${cell(first)}</th>
              ${others.map((one) => html`<td>${cell(one)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
