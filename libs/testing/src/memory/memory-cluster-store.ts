import {
  type BootId,
  type ClusterStore,
  type DeathVerdict,
  type Leadership,
  type NodeBeat,
  type NodeRecord,
  type NodeRegistration,
  type NodeState,
  type NodeVitals,
  type Term,
  TickwheelError,
  type TypeId,
  type View,
  type ViewNode,
} from "@tickwheel/core";
import { copyOf } from "../copy-of.js";
import type { ClusterTables } from "./cluster-tables.js";
import type { MemoryConnection } from "./memory-connection.js";
import type { StatementScope } from "./statement-scope.js";

/** What a node's heartbeat row holds before its first beat. */
const FIRST_VITALS: NodeVitals = {
  leaving: false,
  view: 0,
  term: 0,
  loopLagMs: 0,
  clockOffsetMs: 0,
  ownedSlots: 0,
  wheelSize: 0,
  inFlight: 0,
};

/**
 * A {@link ClusterStore} in memory: one node's view of a `MemoryDatabase`. Each method is one atomic statement, so a verdict never finds
 * a claim in its way (`busy`); replies are copies.
 */
export class MemoryClusterStore implements ClusterStore {
  constructor(private readonly connection: MemoryConnection) {}

  join(request: NodeRegistration): Promise<void> {
    return this.connection.run({ statement: "join", request }, ({ cluster, now }) => {
      const { bootId, label } = request;
      if (cluster.nodes.has(bootId)) throw new TickwheelError("INTERNAL", `Boot id ${bootId} has joined before`);
      cluster.nodes.set(bootId, copyOf({ ...request, state: "live", joinedAt: now }));
      cluster.beats.set(bootId, { bootId, label, beat: 0, vitals: FIRST_VITALS });
    });
  }

  updateTypes(bootId: BootId, typeIds: readonly TypeId[]): Promise<boolean> {
    return this.connection.run({ statement: "updateTypes", request: { bootId, typeIds } }, ({ cluster }) =>
      changeNode(cluster, bootId, { from: ["live"], changes: { typeIds: [...typeIds] } }),
    );
  }

  beat(bootId: BootId, vitals: NodeVitals): Promise<number | null> {
    return this.connection.run({ statement: "beat", request: { bootId, vitals } }, ({ cluster }) => {
      const row = cluster.beats.get(bootId);
      if (!row) return null;
      cluster.beats.set(bootId, { ...row, beat: row.beat + 1, vitals: { ...vitals } });
      return row.beat + 1;
    });
  }

  readBeats(): Promise<NodeBeat[]> {
    return this.connection.run({ statement: "readBeats", request: null }, ({ cluster }) =>
      copyOf([...cluster.beats.values()]),
    );
  }

  readNodes(): Promise<NodeRecord[]> {
    return this.connection.run({ statement: "readNodes", request: null }, ({ cluster }) =>
      copyOf([...cluster.nodes.values()]),
    );
  }

  startDraining(bootId: BootId): Promise<boolean> {
    return this.connection.run({ statement: "startDraining", request: bootId }, ({ cluster }) =>
      changeNode(cluster, bootId, { from: ["live"], changes: { state: "draining" } }),
    );
  }

  leave(bootId: BootId): Promise<void> {
    return this.connection.run({ statement: "leave", request: bootId }, ({ cluster }) => bury(cluster, bootId));
  }

  declareDead(verdict: { bootId: BootId; beat: number; leader: Leadership }): Promise<DeathVerdict> {
    return this.connection.run({ statement: "declareDead", request: verdict }, ({ cluster }) => {
      const beat = cluster.beats.get(verdict.bootId);
      if (beat && beat.beat !== verdict.beat) return "beat_moved";
      if (!cluster.isLedBy(verdict.leader)) return "not_leader";
      bury(cluster, verdict.bootId);
      return "dead";
    });
  }

  forgetDeadNodes(leader: Leadership): Promise<number> {
    return this.connection.run({ statement: "forgetDeadNodes", request: leader }, (scope) => {
      if (!scope.cluster.isLedBy(leader)) return 0;
      const named = namedOwners(scope);
      const forgotten = [...scope.cluster.nodes.values()].filter(
        (node) => node.state === "dead" && !named.has(node.bootId),
      );
      for (const node of forgotten) scope.cluster.nodes.delete(node.bootId);
      return forgotten.length;
    });
  }

  readTerm(): Promise<Term> {
    return this.connection.run({ statement: "readTerm", request: null }, ({ cluster }) => ({ ...cluster.term }));
  }

  takeTerm(candidate: BootId, seen: Term): Promise<Leadership | null> {
    return this.connection.run({ statement: "takeTerm", request: { candidate, seen } }, ({ cluster }) => {
      const { term, holder, beat } = cluster.term;
      if (seen.term !== term || seen.holder !== holder || seen.beat !== beat) return null;
      cluster.term = { term: term + 1, holder: candidate, beat: 0 };
      return { term: term + 1, holder: candidate };
    });
  }

  keepTerm(leader: Leadership): Promise<boolean> {
    return this.connection.run({ statement: "keepTerm", request: leader }, ({ cluster }) => {
      if (!cluster.isLedBy(leader)) return false;
      cluster.term = { ...cluster.term, beat: cluster.term.beat + 1 };
      return true;
    });
  }

  clearTerm(leader: Leadership): Promise<void> {
    return this.connection.run({ statement: "clearTerm", request: leader }, ({ cluster }) => {
      if (cluster.isLedBy(leader)) cluster.term = { ...cluster.term, holder: null };
    });
  }

  publishView(nodes: readonly ViewNode[], leader: Leadership): Promise<View | null> {
    return this.connection.run({ statement: "publishView", request: { nodes, leader } }, ({ cluster, now }) => {
      if (!cluster.isLedBy(leader)) return null;
      const number = (cluster.view?.number ?? 0) + 1;
      cluster.view = copyOf({ number, term: leader.term, nodes, publishedAt: now });
      return copyOf(cluster.view);
    });
  }

  readView(): Promise<View | null> {
    return this.connection.run({ statement: "readView", request: null }, ({ cluster }) => copyOf(cluster.view));
  }
}

function changeNode(
  cluster: ClusterTables,
  bootId: BootId,
  { from, changes }: { from: readonly NodeState[]; changes: Partial<NodeRecord> },
): boolean {
  const node = cluster.nodes.get(bootId);
  if (!node || !from.includes(node.state)) return false;
  cluster.nodes.set(bootId, { ...node, ...changes });
  return true;
}

function bury(cluster: ClusterTables, bootId: BootId): void {
  changeNode(cluster, bootId, { from: ["live", "draining"], changes: { state: "dead" } });
  cluster.beats.delete(bootId);
}

/** The boot ids that a task names. */
function namedOwners({ draft }: StatementScope): Set<BootId> {
  const rows = [...draft.tasks.values(), ...draft.history.values()];
  return new Set(rows.flatMap((row) => (row.owner === null ? [] : [row.owner])));
}
