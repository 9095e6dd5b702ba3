import { useSignal } from "@preact/signals";
import { DataTable, type Column } from "../ui/data-table.js";

interface AsTableProps<Row> {
  /** What the chart is of: `lateness`. */
  of: string;
  columns: readonly Column<Row>[];
  /** Made when somebody opens it. */
  rows: () => readonly Row[];
}

/** The figures of a chart as a table, which folds out. */
export function AsTable<Row>({ of, columns, rows }: AsTableProps<Row>) {
  const isOpen = useSignal(false);
  return (
    <details class="as-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        Show as table<span class="sr">: {of}</span>
      </summary>
      {isOpen.value && (
        <DataTable caption={`Table of ${of}`} columns={columns} rows={rows()} rowKey={(_row, index) => index} />
      )}
    </details>
  );
}
