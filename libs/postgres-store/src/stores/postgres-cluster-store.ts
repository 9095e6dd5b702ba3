import {
  type BeatAnswer,
  FIRST_VITALS,
  type BootId,
  type ClusterEventDraft,
  type ClusterEventFacts,
  type ClusterStore,
  type DeathVerdict,
  type DeathWarrant,
  type EpochMs,
  type Leadership,
  MAX_EVENT_NAMES,
  type NodeBeat,
  type NodeRecord,
  type NodeRegistration,
  type NodeVitals,
  type Term,
  type TypeId,
  type View,
  type ViewNode,
} from "@tickwheel/core";
import { SQL_STATE, sqlStateOf } from "../connection/driver-errors.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { appendClusterEvents } from "../statements/events/append-cluster-events.js";
import { tellGone } from "../statements/events/tell-gone.js";
import { tellJoined } from "../statements/events/tell-joined.js";
import { addHeartbeat } from "../statements/nodes/add-heartbeat.js";
import { addNode } from "../statements/nodes/add-node.js";
import { clearTerm } from "../statements/leader/clear-term.js";
import { deleteHeartbeat } from "../statements/nodes/delete-heartbeat.js";
import { endSessions } from "../statements/nodes/end-sessions.js";
import { forgetDeadNodes } from "../statements/nodes/forget-dead-nodes.js";
import { keepTerm } from "../statements/leader/keep-term.js";
import { keepBlockedLoop } from "../statements/nodes/keep-blocked-loop.js";
import { lockHeartbeat } from "../statements/nodes/lock-heartbeat.js";
import { lockNode } from "../statements/nodes/lock-node.js";
import { lockTerm } from "../statements/leader/lock-term.js";
import { publishView } from "../statements/leader/publish-view.js";
import { raiseBeat } from "../statements/nodes/raise-beat.js";
import { readBeats } from "../statements/nodes/read-beats.js";
import { readNodes } from "../statements/nodes/read-nodes.js";
import { readTerm } from "../statements/leader/read-term.js";
import { readView } from "../statements/leader/read-view.js";
import { setNodeState } from "../statements/nodes/set-node-state.js";
import { setNodeTypes } from "../statements/nodes/set-node-types.js";
import { takeTerm } from "../statements/leader/take-term.js";

export interface PostgresClusterStoreOptions {
  /** Only for tests: the instant that the statements take for now. */
  asOf?: () => EpochMs;
}

/** How long a verdict waits for a claim that holds the node's row. */
const VERDICT_LOCK_TIMEOUT_MS = 1_000;

/** At most this many dead nodes are forgotten in one round. */
const FORGET_BATCH = 100;

/** Rolls a leader's transaction back. */
class Refused extends Error {
  constructor(readonly verdict: Exclude<DeathVerdict, "dead" | "busy">) {
    super(verdict);
  }
}

/**
 * The cluster's facts in Postgres. Lock order of every transaction: heartbeat row, node row, view, term. A leader's
 * transaction locks the term last, after everything that can wait. It rolls back if the leader does not hold the term
 * any more.
 */
export class PostgresClusterStore implements ClusterStore {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: PostgresClusterStoreOptions = {},
  ) {}

  /** From here on the sessions of this store's pool carry the boot id as their name. */
  async join({ places = 0, ...node }: NodeRegistration & { places?: number }): Promise<void> {
    this.database.useApplicationName(node.bootId);
    await this.database.transaction(async (session) => {
      await session.run(addHeartbeat, { bootId: node.bootId, vitals: FIRST_VITALS });
      await session.run(addNode, { ...node, asOf: this.asOf() });
      await session.run(tellJoined, { bootId: node.bootId, places, asOf: this.asOf() });
    });
  }

  async updateTypes(bootId: BootId, typeIds: readonly TypeId[]): Promise<boolean> {
    return (await this.database.run(setNodeTypes, { bootId, typeIds })).length > 0;
  }

  async beat(bootId: BootId, vitals: NodeVitals): Promise<BeatAnswer | null> {
    return (await this.database.run(raiseBeat, { bootId, vitals }))[0] ?? null;
  }

  readBeats(): Promise<NodeBeat[]> {
    return this.database.run(readBeats, null);
  }

  readNodes(): Promise<NodeRecord[]> {
    return this.database.run(readNodes, null);
  }

  startDraining(bootId: BootId): Promise<boolean> {
    return this.database.transaction(async (session) => {
      await session.run(lockNode, { bootId });
      const change = { bootId, from: ["live"], to: "draining", asOf: this.asOf() } as const;
      const isDraining = (await session.run(setNodeState, change)).length > 0;
      if (isDraining) await this.tell(session, { kind: "DRAINING", bootId, facts: {} });
      return isDraining;
    });
  }

  leave(bootId: BootId): Promise<void> {
    return this.database.transaction(async (session) => {
      await session.run(lockHeartbeat, { bootId });
      const asOf = this.asOf();
      const hasLeft = await bury(session, { bootId, isGoodbye: true, asOf });
      if (hasLeft) await session.run(tellGone, { kind: "LEFT", bootId, facts: {}, asOf });
    });
  }

  async declareDead(verdict: DeathWarrant): Promise<DeathVerdict> {
    try {
      await this.database.transaction((session) => declareDead(session, { ...verdict, asOf: this.asOf() }), {
        lockTimeoutMs: VERDICT_LOCK_TIMEOUT_MS,
      });
      return "dead";
    } catch (error) {
      if (error instanceof Refused) return error.verdict;
      if (sqlStateOf(error) !== SQL_STATE.lockNotAvailable) throw error;
    }
    await this.database.run(endSessions, { bootId: verdict.bootId });
    return "busy";
  }

  async forgetDeadNodes(leader: Leadership, kept: number): Promise<number> {
    const request = { leader, kept, limit: FORGET_BATCH, asOf: this.asOf() };
    return (await this.database.run(forgetDeadNodes, request)).length;
  }

  async readTerm(): Promise<Term> {
    return (await this.database.run(readTerm, null))[0]!;
  }

  async takeTerm(candidate: BootId, seen: Term): Promise<Leadership | null> {
    return (await this.database.run(takeTerm, { candidate, seen, asOf: this.asOf() }))[0] ?? null;
  }

  async keepTerm(leader: Leadership): Promise<boolean> {
    return (await this.database.run(keepTerm, leader)).length > 0;
  }

  async clearTerm(leader: Leadership): Promise<void> {
    await this.database.run(clearTerm, leader);
  }

  async publishView(nodes: readonly ViewNode[], leader: Leadership): Promise<View | null> {
    try {
      return await this.database.transaction(async (session) => {
        const [view] = await session.run(publishView, { nodes, term: leader.term, asOf: this.asOf() });
        await this.tell(session, { kind: "VIEW", bootId: leader.holder, facts: factsOf(view!) });
        await requireTerm(session, leader);
        return view!;
      });
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  }

  async readView(): Promise<View | null> {
    return (await this.database.run(readView, null))[0] ?? null;
  }

  /** Writes an event that this transaction has decided. It comes before the lock of the term, which is the last. */
  private async tell(session: Session, event: ClusterEventDraft): Promise<void> {
    await session.run(appendClusterEvents, { events: [{ ...event, agoMs: 0 }], asOf: this.asOf() });
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

async function declareDead(
  session: Session,
  { bootId, beat, leader, silence, asOf }: DeathWarrant & { asOf: EpochMs | null },
): Promise<void> {
  const [seen] = await session.run(lockHeartbeat, { bootId });
  if (seen !== undefined && seen !== beat) throw new Refused("beat_moved");
  await session.run(lockNode, { bootId });
  await session.run(keepBlockedLoop, { bootId });
  const hasDied = await bury(session, { bootId, isGoodbye: false, asOf });
  const facts = { ...silence, term: leader.term };
  if (hasDied) await session.run(tellGone, { kind: "DEAD", bootId, facts, asOf });
  await requireTerm(session, leader);
}

function factsOf({ number, term, nodes }: View): ClusterEventFacts["VIEW"] {
  const named = nodes.slice(0, MAX_EVENT_NAMES).map(({ bootId, label }) => ({ bootId, label }));
  return { view: number, term, nodes: named, nodeCount: nodes.length };
}

/**
 * The caller has locked the heartbeat row, if there is one. This waits for the claim that holds the node's row. False:
 * the node was dead already.
 */
async function bury(
  session: Session,
  { bootId, isGoodbye, asOf }: { bootId: BootId; isGoodbye: boolean; asOf: EpochMs | null },
): Promise<boolean> {
  await session.run(lockNode, { bootId });
  const change = { bootId, from: ["live", "draining"], to: "dead", isGoodbye, asOf } as const;
  const isChanged = (await session.run(setNodeState, change)).length > 0;
  await session.run(deleteHeartbeat, { bootId });
  return isChanged;
}

async function requireTerm(session: Session, leader: Leadership): Promise<void> {
  const [held] = await session.run(lockTerm, leader);
  if (!held) throw new Refused("not_leader");
}
