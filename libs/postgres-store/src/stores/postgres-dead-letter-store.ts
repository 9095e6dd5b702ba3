import {
  type DeadGroupDetails,
  type DeadGroupFilter,
  type DeadGroupPage,
  type DeadGroupRef,
  type DeadLetterStore,
  type EpochMs,
  fingerprintOf,
  newTaskId,
  printOf,
  SystemRandom,
  type UnseenDead,
} from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { appendAudit } from "../statements/audit/append-audit.js";
import { DEAD_FOLD_LIMIT, type FoldedDead, foldDeadTallies } from "../statements/dead/fold-dead-tallies.js";
import { listDeadGroups } from "../statements/dead/list-dead-groups.js";
import { hasDeadTallies, lockDeadTallies } from "../statements/dead/lock-dead-tallies.js";
import { nameDeadGroups } from "../statements/dead/name-dead-groups.js";
import { readDeadGroupDetails } from "../statements/dead/read-dead-group.js";
import { seeDeadGroup } from "../statements/dead/see-dead-group.js";
import { unseenDead } from "../statements/dead/unseen-dead.js";

/** The time-out of each statement of a fold. */
const TIMEOUT_MS = 10_000;
/** The time-out of each statement that says that somebody has looked. */
const SEE_TIMEOUT_MS = 2_000;

/** Dead tasks by cause in Postgres, see {@link DeadLetterStore}. */
export class PostgresDeadLetterStore implements DeadLetterStore {
  private readonly random = new SystemRandom();

  /**
   * @param reads for folds, too: they must not take one of the engine's connections
   * @param asOf only for tests: the instant that the statements take for now
   */
  constructor(
    private readonly reads: Pick<ReadPool, "run" | "transaction" | "of">,
    private readonly options: { asOf?: (() => EpochMs) | undefined } = {},
  ) {}

  async list(filter: DeadGroupFilter): Promise<DeadGroupPage> {
    const { namespace, caller, limit } = filter;
    const request = { ...filter, limit: limit + 1, asOf: this.asOf() };
    const listed = await this.reads.of(namespace, caller).run(listDeadGroups, request);
    const found = listed.flatMap(({ group, place }) => (group && place ? [{ group, place }] : []));
    const shown = found.slice(0, limit);
    return {
      groups: shown.map(({ group }) => group),
      next: found.length > limit ? shown.at(-1)!.place : null,
      causes: listed[0]!.causes,
      tasks: listed[0]!.tasks,
    };
  }

  async get(ref: DeadGroupRef): Promise<DeadGroupDetails | null> {
    const reads = this.reads.of(ref.namespace, ref.caller);
    return (await reads.run(readDeadGroupDetails, { ...ref, asOf: this.asOf() }))[0] ?? null;
  }

  async see(ref: DeadGroupRef, actor: string): Promise<DeadGroupDetails | null> {
    const { namespace, caller, type, print } = ref;
    const write = async (session: Session): Promise<void> => {
      const [seen] = await session.run(seeDeadGroup, { ...ref, asOf: this.asOf() });
      if (!seen) return;
      const { before, seenAt: at } = seen;
      await session.run(appendAudit, {
        id: newTaskId(at, 0, this.random),
        at,
        namespace,
        actor,
        reason: null,
        action: "dead_group.see",
        target: `dead_group:${type}/${fingerprintOf(print)}`,
        before: before === null ? null : { seenAt: before },
        after: { seenAt: at },
      });
    };
    await this.reads.of(namespace, caller).transaction(write, { statementTimeoutMs: SEE_TIMEOUT_MS });
    return this.get(ref);
  }

  unseen(): Promise<UnseenDead[]> {
    return this.reads.run(unseenDead, null);
  }

  async fold(): Promise<boolean> {
    if (!(await this.reads.run(hasDeadTallies, null))[0]) return false;
    return this.reads.transaction(
      async (session) => {
        const [isAlone] = await session.run(lockDeadTallies, null);
        if (!isAlone) return false;
        const folded = await session.run(foldDeadTallies, null);
        const made = folded.flatMap(({ made: group }) => group ?? []);
        if (made.length > 0) await session.run(nameDeadGroups, made.map(named));
        return folded[0]!.moved >= DEAD_FOLD_LIMIT;
      },
      { statementTimeoutMs: TIMEOUT_MS },
    );
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

function named({ error, ...group }: NonNullable<FoldedDead["made"]>): { title: string; place: string } & typeof group {
  const { title, place } = printOf(error ?? "");
  return { ...group, title, place };
}
