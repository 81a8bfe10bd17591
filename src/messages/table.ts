import type { DataTableBlock } from '@slack/types';
import { paragraph, spokenLine, type Part } from './message.ts';
import { plainLine, short, type Line } from './text.ts';

/** A number is sorted as one, and reads as its text. */
type Cell = string | Line | { readonly value: number; readonly text: string };

/** Names of the columns, and a cell for each. */
export interface Columns<Row> {
  readonly heads: readonly string[];
  readonly cells: (row: Row) => readonly Cell[];
}

/** Source: docs.slack.dev/reference/block-kit/blocks/data-table-block (May 2026). */
export const MOST_ROWS = 100;
const MOST_CHARACTERS = 10_000;
const LONGEST_CELL = 300;
const MENTION = 40;

const lengthOf = (cell: Cell): number => {
  if (typeof cell === 'string') return cell.length;
  if ('value' in cell) return cell.text.length;
  const addresses = cell.map((piece) =>
    typeof piece === 'string' || piece.type === 'text'
      ? 0
      : piece.type === 'link'
        ? piece.url.length
        : MENTION,
  );
  return plainLine(cell).length + addresses.reduce((sum, length) => sum + length, 0);
};

/** As many from the start as one table can hold. */
export function fitting<Row>({ heads, cells }: Columns<Row>, rows: readonly Row[]): readonly Row[] {
  let left = MOST_CHARACTERS - heads.join('').length;
  const end = rows.findIndex((row, index) => {
    left -= cells(row).reduce((sum, cell) => sum + lengthOf(cell), 0);
    return left < 0 || index >= MOST_ROWS;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function cellOf(cell: Cell): DataTableBlock['rows'][number][number] {
  if (typeof cell === 'string') return { type: 'raw_text', text: short(cell, LONGEST_CELL) || '–' };
  if ('value' in cell) return { type: 'raw_number', ...cell };
  return plainLine(cell) === '' ? { type: 'raw_text', text: '–' } : paragraph([cell]);
}

/** Slack sorts and filters it, in messages. @param said what the rows say, a line each */
export const table = <Row>(
  caption: string,
  { heads, cells }: Columns<Row>,
  rows: readonly Row[],
  said: readonly Line[],
): Part => ({
  blocks: [
    {
      type: 'data_table',
      caption,
      // Slack has buttons for the others.
      page_size: 10,
      rows: [heads, ...rows.map(cells)].map((row) => row.map(cellOf)),
    },
  ],
  spoken: said.map((line) => `- ${spokenLine(line)}`),
});
