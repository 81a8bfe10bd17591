import { html, svg } from './vendor/lit-html/lit-html.js';

const [WIDTH, TALLEST, GAP] = [520, 96, 6];
/** Where numbers and labels have room. */
const [ABOVE, BELOW] = [18, 20];

/**
 * A bar chart, plainly: Slack draws it with an axis and words of its own.
 * @param {{ title: string, chart: { series: { data: { label: string, value: number }[] }[] } }} block
 */
export function chart({ title, chart: { series } }) {
  const data = series.flatMap((one) => one.data);
  const most = Math.max(1, ...data.map(({ value }) => value));
  const step = WIDTH / data.length;
  const words = data.map(({ label, value }) => `${label}: ${value}`).join('; ');
  const bars = data.map(({ label, value }, index) => {
    const height = Math.max(1, (value / most) * TALLEST);
    const middle = (index + 0.5) * step;
    return svg`<rect x=${index * step + GAP / 2} y=${ABOVE + TALLEST - height} width=${step - GAP} height=${height} rx="2" />
      <text x=${middle} y=${ABOVE + TALLEST - height - 5}>${value}</text>
      <text x=${middle} y=${ABOVE + TALLEST + 14}>${label}</text>`;
  });
  return html`<figure class="block chart-block">
    <figcaption>${title}</figcaption>
    <svg role="img" aria-label="${title}. ${words}" viewBox="0 0 ${WIDTH} ${ABOVE + TALLEST + BELOW}">
      ${bars}
    </svg>
  </figure>`;
}
