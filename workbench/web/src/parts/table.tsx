import type { ComponentChildren } from "preact";
import { Empty } from "./empty";

// Column is a column of a table: its heading, and what a row shows in it.
export interface Column<R> {
  head: string;
  cell: (row: R) => ComponentChildren;
}

interface Props<R> {
  caption: string; // read by readers of screens; the heading above the table is for eyes
  columns: Column<R>[];
  rows: R[];
  rowClass?: (row: R) => string | undefined;
  empty: ComponentChildren; // why there are no rows
}

// Table is a table that scrolls within itself where the page is narrow. The first column names the row.
export function Table<R>({ caption, columns, rows, rowClass, empty }: Props<R>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c.head} scope="col">
                {c.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            <tr key={n} class={rowClass?.(row)}>
              {columns.map((c, i) =>
                i === 0 ? (
                  <th key={c.head} scope="row">
                    {c.cell(row)}
                  </th>
                ) : (
                  <td key={c.head}>{c.cell(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
