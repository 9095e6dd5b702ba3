import {
  type Batch,
  type BatchStore,
  type BatchToReview,
  type ClaimedTask,
  liveMembers,
  type Pulse,
  type Random,
} from "@tickwheel/core";
import { hintOf } from "../requests/task-draft.js";
import type { TaskService } from "../requests/task-service.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";
import type { Announcer } from "../requests/announcer.js";
import { reviewBy } from "./follow-up.js";

const INTERVAL_MS = 1_000;
/** Ends of members that come within so long are looked at together. */
const GATHER_MS = 20;
/** How many batches share a statement that looks which are to be reviewed. */
const PAGE = 200;
/** Members that one statement takes back. */
const STOP_PAGE = 500;
/** Dead members that are read at once for their retry. */
const RETRY_PAGE = 200;
/** More ids of batches whose members have ended are left to the look. */
const MOST_ENDED = 10_000;
/** Folds of one round; a further round follows. */
const MOST_FOLDS = 20;

export interface CheckerParts {
  store: BatchStore;
  service: Pick<TaskService, "retry">;
  announcer: Announcer;
  random: Random;
  mostMembers: number;
}

/**
 * Brings batches to their end: at once where a member has ended on this node, and by a look each second at all that may
 * have something to do, which finds whatever nobody told. It folds what was tallied, takes back members of batches that
 * stop, retries dead members at a deadline, and reviews the rest. Any number of nodes may look: each batch is reviewed
 * under a lock of its row, and the node that comes second finds nothing to do.
 *
 * Cost: for each open batch one probe of a primary key a second and node, however many members it has; without any, its
 * part of the pulse.
 */
export class BatchChecker extends PulsedService {
  private ended = new Set<string>();
  private isGathering = false;

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health" | "telemetry" | "pulse">,
    private readonly parts: CheckerParts,
  ) {
    super("batches", context);
  }

  /** An execution of this node has ended its task. */
  taskEnded({ member }: Pick<ClaimedTask, "member">): void {
    if (member) this.memberTouched(member.batchId);
  }

  /** A member of the batch has ended, or waits again. */
  memberTouched(batchId: string): void {
    if (this.ended.size >= MOST_ENDED) return;
    this.ended.add(batchId);
    if (this.isGathering || !this.isStarted) return;
    this.isGathering = true;
    this.context.clock.setTimer(GATHER_MS, () => {
      this.isGathering = false;
      this.wakeForEnded();
    });
  }

  async runOnce(): Promise<void> {
    for (let folds = 0; folds < MOST_FOLDS && !this.shouldEnd; folds++) if (!(await this.parts.store.fold())) break;
    this.ended.clear();
    await this.reviewAll();
  }

  protected everyMs(): number {
    return INTERVAL_MS;
  }

  protected mayFind({ batchTallies, openBatches }: Pulse): boolean {
    return batchTallies || openBatches || this.ended.size > 0;
  }

  private wakeForEnded(): void {
    const of = [...this.ended];
    this.ended.clear();
    // The look that comes anyway does the same, and tells what fails.
    this.reviewAll(of).catch(() => undefined);
  }

  /**
   * One batch that cannot be reviewed holds up no other: its failure is thrown when all have had their turn.
   *
   * @param of only these batches; default: all that may have something to do
   */
  private async reviewAll(of?: readonly string[]): Promise<void> {
    const { store, mostMembers } = this.parts;
    const failures: unknown[] = [];
    for (let after: string | null = null; !this.shouldEnd;) {
      const request = { mostMembers, limit: PAGE, after, ...(of && { of }) };
      const page: BatchToReview[] = await store.toReview(request);
      for (const batch of page) await this.attend(batch).catch((error: unknown) => failures.push(error));
      if (page.length < PAGE) break;
      after = page.at(-1)!.id;
    }
    if (failures.length > 0) throw failures[0];
  }

  private async attend({ id, isStopping, isRetrying }: BatchToReview): Promise<void> {
    if (isStopping) await this.stopMembers(id);
    if (isRetrying) await this.retryDead(id);
    await this.review(id);
  }

  private async review(id: string): Promise<void> {
    const { store, announcer, mostMembers, random } = this.parts;
    const reviewed = await store.review(id, reviewBy(mostMembers, random));
    if (!reviewed) return;
    const { batch, change, created } = reviewed;
    if (created.length > 0) announcer.publish(created.map(hintOf));
    if (change.stops) await this.stopMembers(id);
    if (change.beginsRetries) await this.retryDead(id);
    this.tell(batch, change);
  }

  /** Takes back what has not started and asks what runs, round by round, until a round finds no more. */
  private async stopMembers(id: string): Promise<void> {
    const { store, announcer } = this.parts;
    for (let stopped = STOP_PAGE; stopped === STOP_PAGE && !this.shouldEnd;) {
      const { cancelled, asked } = await store.stopMembers({ id, limit: STOP_PAGE });
      for (const member of cancelled) announcer.forget(member);
      for (const execution of asked) announcer.cancelRunning(execution);
      stopped = cancelled.length + asked.length;
    }
  }

  /** A node that dies meanwhile is followed by one that goes on: those that were retried are dead no more. */
  private async retryDead(id: string): Promise<void> {
    const { store, service } = this.parts;
    for (let after: string | null = null; !this.shouldEnd;) {
      const dead: { id: string; namespace: string }[] = await store.deadMembers({ id, limit: RETRY_PAGE, after });
      for (const member of dead) await service.retry({ ...member, actor: `batch:${id}` });
      if (dead.length < RETRY_PAGE) return store.endRetries(id);
      after = dead.at(-1)!.id;
    }
  }

  private tell(batch: Batch, change: { stops?: string; completes?: true; checksDeadline?: true }): void {
    const { id, namespace, name, counts, leftovers } = batch;
    const facts = { id, namespace, batch: name ?? id, ...counts };
    const called = name === null ? `the batch ${id}` : `the batch ${name}`;
    const { telemetry } = this.context;
    if (change.completes)
      telemetry.emit({
        name: "batch.complete",
        level: "info",
        message: `${called} is complete: ${counts.succeeded} of ${counts.total} members succeeded`,
        facts,
      });
    if (change.stops)
      telemetry.emit({
        name: "batch.stopped",
        level: "warn",
        message: `${called} stops (${change.stops}): members that have not started are taken back`,
        facts: { ...facts, reason: change.stops },
      });
    if (change.checksDeadline && leftovers && leftovers.count > 0)
      telemetry.emit({
        name: "batch.overdue",
        level: "warn",
        message: `${called} is past its deadline: ${leftovers.count} members are not done, of which ${liveMembers(counts)} live`,
        facts: { ...facts, leftovers: leftovers.count, first: leftovers.named.map((member) => member.id).join(" ") },
      });
  }
}
