import type { GoneNode } from "../api/wire.js";
import type { NameOf, NodeRow } from "../nodes/node-names.js";
import { formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { orphansNote } from "./event-words.js";

const columnsOf = (nameOf: NameOf): Column<NodeRow<GoneNode>>[] => [
  {
    head: "Node",
    at: "a",
    cell: ({ node: { label, bootId }, earlier }) => (
      <>
        <span class="strong muted">{nameOf({ label, bootId })}</span>
        <span class="two mono" title={`Boot id ${bootId}`}>
          {label}
          {earlier.length > 0 && ` and ${formatNumberOf(earlier.length, "incarnation")} before`}
        </span>
      </>
    ),
  },
  {
    head: "How",
    at: "b",
    cell: ({ node: { how } }) =>
      how === "DEAD" ? <StateMark state="dead" /> : <StateMark state="draining" text="left" />,
  },
  { head: "When", at: "c", cell: ({ node: { at } }) => <Instant at={at} /> },
  { head: "Last beat", isLow: true, cell: ({ node: { lastBeatAt } }) => <Instant at={lastBeatAt} isAlone /> },
  {
    head: "What it took away",
    at: "d",
    cell: ({ node: { orphanedTypes } }) =>
      orphanedTypes.length === 0 ? (
        <span class="muted">nothing</span>
      ) : (
        <span class="ink is-overdue">{orphansNote(orphanedTypes)}</span>
      ),
  },
];

interface GoneNodesProps {
  gone: readonly NodeRow<GoneNode>[];
  nameOf: NameOf;
}

/** Nodes that left within a day, folded: how they went, and the types that no node ran any more then. */
export function GoneNodes({ gone, nameOf }: GoneNodesProps) {
  if (gone.length === 0) return null;
  return (
    <details class="more-findings">
      <summary>{formatNumberOf(gone.length, "node")} gone within 24 hours</summary>
      <DataTable
        caption="Nodes that are gone"
        columns={columnsOf(nameOf)}
        rows={gone}
        rowKey={({ node }) => node.bootId}
      />
    </details>
  );
}
