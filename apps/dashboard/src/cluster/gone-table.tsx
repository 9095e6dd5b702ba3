import type { GoneNode } from "../api/wire.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { orphansNote } from "./event-words.js";

const columns: Column<GoneNode>[] = [
  {
    head: "Node",
    at: "a",
    cell: ({ name, label, bootId }) => (
      <>
        <span class="strong muted">{name ?? label ?? `node ${bootId}`}</span>
        <span class="two mono" title={`Boot id ${bootId}`}>
          {label}
        </span>
      </>
    ),
  },
  {
    head: "How",
    at: "b",
    cell: ({ how }) => (how === "DEAD" ? <StateMark state="dead" /> : <StateMark state="draining" text="left" />),
  },
  { head: "When", at: "c", cell: ({ at }) => <Instant at={at} /> },
  { head: "Last beat", isLow: true, cell: ({ lastBeatAt }) => <Instant at={lastBeatAt} isAlone /> },
  {
    head: "What it took away",
    at: "d",
    cell: ({ orphanedTypes }) =>
      orphanedTypes.length === 0 ? (
        <span class="muted">nothing</span>
      ) : (
        <span class="ink is-overdue">{orphansNote(orphanedTypes)}</span>
      ),
  },
];

/** Nodes that left within a day: how they went, and the types that no node ran any more then. */
export function GoneTable({ gone }: { gone: readonly GoneNode[] }) {
  return <DataTable caption="Nodes that are gone" columns={columns} rows={gone} rowKey={({ bootId }) => bootId} />;
}
