import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
}

interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string | number;
}

/**
 * A table that becomes a list of cards on a narrow page. The first column names the row. The roles are written out
 * because a table that is displayed otherwise loses them.
 */
export function DataTable<Row>({ caption, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table role="table" aria-label={caption}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, isNumber }) => (
              <th key={head} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)} role="row">
              {columns.map((column, place) => (
                <Cell key={column.head} column={column} row={row} isFirst={place === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row, isFirst }: { column: Column<Row>; row: Row; isFirst: boolean }) {
  const { head, cell, isNumber } = column;
  const content = <span>{cell(row)}</span>;
  const name = isNumber ? "number" : undefined;
  return isFirst ? (
    <th role="rowheader" scope="row" data-head={head} class={name}>
      {content}
    </th>
  ) : (
    <td role="cell" data-head={head} class={name}>
      {content}
    </td>
  );
}
