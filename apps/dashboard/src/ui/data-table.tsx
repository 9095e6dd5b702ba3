import { Fragment, type ComponentChildren } from "preact";

/** Where a cell stands on a card: name, right of it, below, below right, last and wide. */
export type CardPlace = "a" | "b" | "c" | "c2" | "d";

export interface Column<Row> {
  readonly head: string;
  /** What stands in its head in place of the word. */
  readonly headCell?: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Its cell names the row. Default: the first column does. */
  readonly isName?: boolean;
  /** Where it stands on a card; absent: a card leaves it out. */
  readonly at?: CardPlace;
  /** Goes first where the page is narrow. */
  readonly isLow?: boolean;
  /** As narrow as what it holds. */
  readonly isNarrow?: boolean;
  /** Takes what is left of the width and cuts its text. */
  readonly isWide?: boolean;
}

interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string | number;
  /** What stands below a row that is open; null: it is not. */
  detail?: (row: Row) => ComponentChildren;
  /** Whether a row is told of as it was; default: none is. */
  isPast?: (row: Row) => boolean;
}

/**
 * A native table that becomes a list of cards below 861 px. One column names the row. The roles are written out
 * because a table that is displayed otherwise loses them.
 */
export function DataTable<Row>({ caption, columns, rows, rowKey, detail, isPast }: DataTableProps<Row>) {
  const name = columns.find((column) => column.isName) ?? columns[0];
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table role="table" class="cards" aria-label={caption}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.head} role="columnheader" scope="col" class={classOf(column)}>
                {column.headCell ?? column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <Fragment key={rowKey(row, index)}>
              <tr role="row" class={isPast?.(row) ? "is-past" : undefined}>
                {columns.map((column) => (
                  <Cell key={column.head} column={column} row={row} isName={column === name} />
                ))}
              </tr>
              <Detail content={detail?.(row)} columns={columns.length} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Detail({ content, columns }: { content: ComponentChildren; columns: number }) {
  if (content === null || content === undefined) return null;
  return (
    <tr role="row" class="detail">
      <td role="cell" colSpan={columns} data-at="d">
        {content}
      </td>
    </tr>
  );
}

function Cell<Row>({ column, row, isName }: { column: Column<Row>; row: Row; isName: boolean }) {
  const content = column.isWide ? <span class="cut">{column.cell(row)}</span> : column.cell(row);
  return isName ? (
    <th role="rowheader" scope="row" data-at={column.at} class={classOf(column)}>
      {content}
    </th>
  ) : (
    <td role="cell" data-at={column.at} class={classOf(column)}>
      {content}
    </td>
  );
}

function classOf({ isNumber, isLow, isWide, isNarrow }: Column<never>): string | undefined {
  const names = [isNumber && "num", isLow && "lo", isWide && "grow", isNarrow && "pick"].filter(Boolean);
  return names.length === 0 ? undefined : names.join(" ");
}
