import {
  type BeatAnswer,
  FIRST_VITALS,
  type BootId,
  type ClusterStore,
  type DeathVerdict,
  type DeathWarrant,
  type Leadership,
  type NodeBeat,
  type NodeRecord,
  type NodeRegistration,
  type NodeVitals,
  type Term,
  TickwheelError,
  type TypeId,
  type View,
  type ViewNode,
} from "@tickwheel/core";
import { deathFacts, joinedFacts, orphanedTypes, tell, viewFacts } from "../statements/event-statements.js";
import { copyOf } from "../system/copy-of.js";
import { isHeldBy, lockTerm } from "../database/lock-term.js";
import type { Call, MemoryConnection, MemorySession } from "../database/memory-connection.js";
import type { StatementBody } from "../database/memory-database.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import { type NodeRow, ONLY_ROW } from "../database/tables.js";

/** How long a verdict waits for a claim that holds the node's row. */
const VERDICT_LOCK_TIMEOUT_MS = 1_000;

/** Rolls a leader's transaction back. */
class Refused extends Error {
  constructor(readonly verdict: Exclude<DeathVerdict, "dead" | "busy">) {
    super(verdict);
  }
}

/**
 * A {@link ClusterStore} in memory: one node's view of a `MemoryDatabase`. Lock order: heartbeat row, node row, view,
 * term. Replies are copies.
 */
export class MemoryClusterStore implements ClusterStore {
  constructor(private readonly connection: MemoryConnection) {}

  join(request: NodeRegistration & { places?: number }): Promise<void> {
    const { places = 0, ...node } = request;
    const { bootId, label } = node;
    this.connection.sessionName = bootId;
    return this.connection.call({ statement: "join", request }, (session) =>
      session.transaction(null, async (within) => {
        const beat = { bootId, label, beat: 0, vitals: FIRST_VITALS };
        await within.run((scope) => insertNew(scope.beats.insertOrLock(bootId, beat), bootId));
        await within.run((scope) =>
          insertNew(scope.nodes.insertOrLock(bootId, copyOf({ ...node, state: "live", joinedAt: scope.now })), bootId),
        );
        await within.run((scope) =>
          tell(scope, { kind: "JOINED", bootId, facts: joinedFacts(scope, { ...node, places }) }),
        );
      }),
    );
  }

  updateTypes(bootId: BootId, typeIds: readonly TypeId[]): Promise<boolean> {
    return this.one({ statement: "updateTypes", request: { bootId, typeIds } }, ({ nodes }) =>
      isDone(nodes.update(bootId, isLive, (node) => ({ ...node, typeIds: [...typeIds] }))),
    );
  }

  beat(bootId: BootId, vitals: NodeVitals): Promise<BeatAnswer | null> {
    return this.one({ statement: "beat", request: { bootId, vitals } }, async ({ beats, revisions, host }) => {
      const settings = { ...revisions.get(ONLY_ROW)! };
      const row = await beats.update(bootId, always, (known) => ({
        ...known,
        beat: known.beat + 1,
        vitals: { ...vitals },
      }));
      if (row) host.takeNodeLock(bootId, this.connection);
      return row && { beat: row.beat, settings };
    });
  }

  readBeats(): Promise<NodeBeat[]> {
    return this.one({ statement: "readBeats", request: null }, ({ beats, host }) =>
      beats.values().map((beat) => ({ ...copyOf(beat), session: host.nodeSession(beat.bootId) })),
    );
  }

  readNodes(): Promise<NodeRecord[]> {
    return this.one({ statement: "readNodes", request: null }, ({ nodes }) =>
      nodes.values().map(({ blocked: _ofReaps, ...node }) => copyOf(node)),
    );
  }

  startDraining(bootId: BootId): Promise<boolean> {
    return this.connection.call({ statement: "startDraining", request: bootId }, (session) =>
      session.transaction(null, async (within) => {
        await within.run(({ nodes }) => nodes.lock(bootId));
        return within.run(async (scope) => {
          const draining = await scope.nodes.update(bootId, isLive, (node) => ({ ...node, state: "draining" }));
          if (draining !== null) tell(scope, { kind: "DRAINING", bootId, facts: {} });
          return draining !== null;
        });
      }),
    );
  }

  leave(bootId: BootId): Promise<void> {
    return this.connection.call({ statement: "leave", request: bootId }, (session) =>
      session.transaction(null, async (within) => {
        await within.run(({ beats }) => beats.lock(bootId));
        if (!(await bury(within, bootId, true))) return;
        await within.run((scope) =>
          tell(scope, { kind: "LEFT", bootId, facts: { orphanedTypes: orphanedTypes(scope, bootId) } }),
        );
      }),
    );
  }

  declareDead(verdict: DeathWarrant): Promise<DeathVerdict> {
    return this.connection.call({ statement: "declareDead", request: verdict }, async (session) => {
      try {
        await session.transaction(VERDICT_LOCK_TIMEOUT_MS, (within) => declareDead(within, verdict));
        return "dead";
      } catch (error) {
        if (error instanceof Refused) return error.verdict;
        if (!(error instanceof StatementFailure && error.isLockConflict)) throw error;
      }
      await session.run(({ host }) => host.terminate(verdict.bootId));
      return "busy";
    });
  }

  forgetDeadNodes(leader: Leadership, kept: number): Promise<number> {
    return this.one({ statement: "forgetDeadNodes", request: { leader, kept } }, async (scope) => {
      const newest = newestDead(scope, kept);
      const running = runningOwners(scope);
      const isIdle = ({ bootId, state }: NodeRow): boolean =>
        state === "dead" && !newest.has(bootId) && !running.has(bootId);
      const idle = await scope.nodes.lockFree(isIdle);
      if (idle.length === 0 || !(await lockTerm(scope, leader))) return 0;
      for (const { bootId, label } of idle) {
        await scope.nodes.delete(bootId);
        scope.formerNodes.put(bootId, { bootId, label, forgottenAt: scope.now });
      }
      return idle.length;
    });
  }

  readTerm(): Promise<Term> {
    return this.one({ statement: "readTerm", request: null }, ({ terms }) => ({ ...terms.get(ONLY_ROW)! }));
  }

  takeTerm(candidate: BootId, seen: Term): Promise<Leadership | null> {
    return this.one({ statement: "takeTerm", request: { candidate, seen } }, async (scope) => {
      const { terms, nodes } = scope;
      const isAsSeen = ({ term, holder, beat }: Term): boolean =>
        seen.term === term && seen.holder === holder && seen.beat === beat;
      const next = (known: Term): Term => ({ term: known.term + 1, holder: candidate, beat: 0 });
      const taken = await terms.update(ONLY_ROW, isAsSeen, next);
      if (taken === null) return null;
      const { holder } = seen;
      const before = holder === null ? null : { bootId: holder, label: nodes.get(holder)?.label ?? null };
      tell(scope, { kind: "TERM", bootId: candidate, facts: { term: taken.term, before } });
      return { term: taken.term, holder: candidate };
    });
  }

  keepTerm(leader: Leadership): Promise<boolean> {
    return this.one({ statement: "keepTerm", request: leader }, ({ terms }) =>
      isDone(terms.update(ONLY_ROW, isHeldBy(leader), (term) => ({ ...term, beat: term.beat + 1 }))),
    );
  }

  async clearTerm(leader: Leadership): Promise<void> {
    await this.one({ statement: "clearTerm", request: leader }, ({ terms }) =>
      terms.update(ONLY_ROW, isHeldBy(leader), (term) => ({ ...term, holder: null })),
    );
  }

  publishView(nodes: readonly ViewNode[], leader: Leadership): Promise<View | null> {
    return this.connection.call({ statement: "publishView", request: { nodes, leader } }, async (session) => {
      try {
        return await session.transaction(null, async (within) => {
          const view = await within.run((scope) => nextView(scope, nodes, leader));
          await within.run((scope) => tell(scope, { kind: "VIEW", bootId: leader.holder, facts: viewFacts(view) }));
          await requireTerm(within, leader);
          return view;
        });
      } catch (error) {
        if (error instanceof Refused) return null;
        throw error;
      }
    });
  }

  readView(): Promise<View | null> {
    return this.one({ statement: "readView", request: null }, ({ views }) => copyOf(views.get(ONLY_ROW) ?? null));
  }

  /** Runs a call that is one statement. */
  private one<T>(call: Call, statement: StatementBody<T>): Promise<T> {
    return this.connection.call(call, (session) => session.run(statement));
  }
}

const always = (): boolean => true;

function isLive({ state }: NodeRecord): boolean {
  return state === "live";
}

async function isDone(change: Promise<unknown>): Promise<boolean> {
  return (await change) !== null;
}

async function insertNew(inserting: Promise<unknown>, bootId: BootId): Promise<void> {
  if ((await inserting) !== null) throw new TickwheelError("INTERNAL", `Boot id ${bootId} has joined before`);
}

async function declareDead(session: MemorySession, { bootId, beat, leader, silence }: DeathWarrant): Promise<void> {
  const seen = await session.run(({ beats }) => beats.lock(bootId));
  if (seen && seen.beat !== beat) throw new Refused("beat_moved");
  await session.run(({ nodes }) => nodes.lock(bootId));
  const blocked = seen?.vitals.blocked;
  if (blocked) await session.run(({ nodes }) => nodes.update(bootId, always, (node) => ({ ...node, blocked })));
  const hasDied = await bury(session, bootId);
  if (hasDied) {
    await session.run((scope) =>
      tell(scope, { kind: "DEAD", bootId, facts: deathFacts(scope, { bootId, silence, leader }) }),
    );
  }
  await requireTerm(session, leader);
}

/**
 * The caller has locked the heartbeat row, if there is one. This waits for the claim that holds the node's row. False:
 * the node was dead already.
 */
async function bury(session: MemorySession, bootId: BootId, isGoodbye = false): Promise<boolean> {
  await session.run(({ nodes }) => nodes.lock(bootId));
  const isChanged = await session.run(({ nodes, now }) =>
    isDone(
      nodes.update(
        bootId,
        ({ state }) => state !== "dead",
        (node) => ({ ...node, state: "dead", roles: isGoodbye ? [] : node.roles, endedAt: now }),
      ),
    ),
  );
  await session.run(async ({ beats }) => {
    if (await beats.lock(bootId)) await beats.delete(bootId);
  });
  return isChanged;
}

/** The last statement of a leader's transaction: the term stays unchanged until the commit. */
async function requireTerm(session: MemorySession, leader: Leadership): Promise<void> {
  if (!(await session.run((scope) => lockTerm(scope, leader)))) throw new Refused("not_leader");
}

async function nextView(scope: StatementScope, nodes: readonly ViewNode[], { term }: Leadership): Promise<View> {
  const before = await scope.views.lockNewest(ONLY_ROW, always, { mode: "no-key-update" });
  const view = copyOf({ number: (before?.number ?? 0) + 1, term, nodes, publishedAt: scope.now });
  await scope.views.write(ONLY_ROW, view);
  return copyOf(view);
}

/** The boot ids that a task names. */
function runningOwners({ tasks }: StatementScope): Set<BootId> {
  return new Set(tasks.values().flatMap(({ state, owner }) => (state === "running" && owner !== null ? [owner] : [])));
}

/** The dead nodes that joined last. */
function newestDead({ nodes }: StatementScope, count: number): Set<BootId> {
  const dead = nodes.values().filter(({ state }) => state === "dead");
  const newestFirst = dead.sort(
    (one, other) => other.joinedAt - one.joinedAt || (BigInt(other.bootId) > BigInt(one.bootId) ? 1 : -1),
  );
  return new Set(newestFirst.slice(0, count).map(({ bootId }) => bootId));
}
