import type { BootId, NodeBeat, NodeRecord, Term, View } from "@tickwheel/core";
import type { StatementScope } from "./statement-scope.js";
import { ONLY_ROW, type Table, type Tables } from "./tables.js";

/** The cluster's tables as they are now, for tests that read them or change them without the nodes' knowledge. */
export class ClusterTables {
  constructor(
    private readonly tables: Tables,
    private readonly write: (work: (scope: StatementScope) => void) => void,
  ) {}

  get nodes(): ReadonlyMap<BootId, NodeRecord> {
    return committedRows(this.tables.nodes);
  }

  get beats(): ReadonlyMap<BootId, NodeBeat> {
    return committedRows(this.tables.beats);
  }

  get term(): Term {
    return this.tables.terms.get(ONLY_ROW)!.committed!;
  }

  set term(term: Term) {
    this.write((scope) => scope.terms.put(ONLY_ROW, term));
  }

  /** Deletes the heartbeat rows of these nodes, by default of all. The other nodes then take them for dead. */
  forgetBeats(bootIds: Iterable<BootId> = this.beats.keys()): void {
    this.write(({ beats }) => {
      for (const bootId of bootIds) beats.put(bootId, undefined);
    });
  }

  get view(): View | null {
    return this.tables.views.get(ONLY_ROW)!.committed ?? null;
  }
}

function committedRows<Row>(table: Table<Row>): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const [key, { committed }] of table) if (committed !== undefined) rows.set(key, committed);
  return rows;
}
