import { type Clock, TickwheelError, wait } from "@tickwheel/core";
import type { Claim, NodeQueues } from "@tickwheel/engine";
import { SeededRandom } from "@tickwheel/testing";
import { Draw } from "./draw/draw.js";
import type { Behaviour, PlannedConsumer } from "./plan.js";
import { NAMESPACE, type SimulatedProcess } from "./simulated-process.js";
import type { World } from "./world.js";

/** How long a call may take beyond the time that it waits at the node, before its caller gives it up. */
const PATIENCE_MS = 5_000;
const LONGEST_WAY_MS = 3;
/** After a call that failed. */
const PAUSE_MS = 250;
/** A caller repeats a call whose answer did not come so often. */
const MOST_CALLS = 8;

type Call<T> = (queues: NodeQueues, signal: AbortSignal) => Promise<T>;
/** `null`: no answer came, so the caller does not know what became of its call. */
type Answer<T> = { reply: T } | { refused: string } | null;

/** Which calls go wrong on their way, in shares of all. */
interface Ways {
  /** The answer is lost. */
  lost: number;
  /** The caller goes away before the answer is there. */
  gone: number;
}

const QUIET: Ways = { lost: 0, gone: 0 };

/**
 * A process outside the cluster that pulls tasks. Its calls go to nodes by chance, over a network of their own. Until
 * the plan is quiet it is careless: it is slow, dies with tasks in its hands, loses answers and goes while it waits.
 */
export class Consumer {
  private readonly draw: Draw;
  private isStopped = false;

  constructor(
    private readonly world: World,
    private readonly plan: PlannedConsumer,
  ) {
    this.draw = new Draw(new SeededRandom(plan.seed));
  }

  start(): void {
    this.world.time.setTimer(this.plan.fromMs, () => {
      this.live().catch((error: unknown) => this.world.recorder.surprise(this.plan.name, error));
    });
  }

  stop(): void {
    this.isStopped = true;
  }

  private get clock(): Clock {
    return this.world.time;
  }

  private get isCareful(): boolean {
    return this.clock.monotonicMs() >= this.world.plan.quietAtMs;
  }

  /** A fail-over may forget the type of a claim. */
  private get mayForget(): boolean {
    return this.world.plan.faults.some(({ breaks }) => breaks.kind === "postgres-failover");
  }

  private async live(): Promise<void> {
    while (!this.isStopped) {
      const claims = await this.pull();
      if (claims.length === 0) await wait(this.clock, PAUSE_MS);
      await Promise.all(claims.map((claim) => this.work(claim)));
    }
  }

  private async pull(): Promise<Claim[]> {
    const { name: consumer, type, max, leaseMs, waitMs } = this.plan;
    const ways = this.isCareful ? QUIET : { lost: 0.08, gone: 0.15 };
    const goneAfterMs = this.draw.chance(ways.gone) ? this.draw.between(0, waitMs) : waitMs + PATIENCE_MS;
    const hangsUp = this.draw.chance(ways.gone / 5);
    const answer = await this.call({ goneAfterMs, isLost: this.draw.chance(ways.lost) }, async (queues, signal) => {
      const ask = { consumer, max, leaseMs, waitMs, signal };
      const { claims } = await queues.claim({ namespace: NAMESPACE, type }, ask);
      if (signal.aborted) return [];
      if (hangsUp) {
        queues.giveBack(claims);
        return [];
      }
      for (const claim of claims)
        this.world.recorder.record({ kind: "pull-answered", ...executionOf(claim), consumer });
      return claims;
    });
    if (answer === null) this.count("has gone or heard nothing");
    return answer !== null && "reply" in answer ? answer.reply : [];
  }

  private async work(claim: Claim): Promise<void> {
    const { payload, attempt } = claim.task;
    const { workMs, fails, times } = JSON.parse(payload ?? "{}") as Behaviour;
    const how = this.isCareful ? "well" : this.drawCare();
    if (how === "dies") return this.count("dies");
    if (how === "slow") {
      this.count("is slow");
      await wait(this.clock, this.plan.leaseMs + this.draw.between(0, 3_000));
    } else if (!(await this.workUnderLease(claim, workMs))) return;
    if (how === "gives back") return this.release(claim);
    if (fails === null || attempt > times) return this.complete(claim);
    const failure = { error: "the consumer fails", retryable: fails !== "gives-up", retryAfterMs: workMs };
    await this.tell(claim, "fail", (queues, named) => queues.fail(named, failure));
  }

  private drawCare(): "dies" | "slow" | "gives back" | "well" {
    return this.draw.weighted([
      ["dies", 1],
      ["slow", 1.5],
      ["gives back", 0.5],
      ["well", 8],
    ] as const);
  }

  /** Works, and extends the lease as long as that takes. False: the task is not its any more. */
  private async workUnderLease(claim: Claim, workMs: number): Promise<boolean> {
    const { leaseMs } = this.plan;
    let leftMs = workMs;
    for (const stepMs = leaseMs * 0.5; leftMs > stepMs; leftMs -= stepMs) {
      await wait(this.clock, stepMs);
      const refused = await this.tell(claim, "extend", async (queues, named) => {
        const { leaseUntil: until } = await queues.extend(named, leaseMs);
        this.world.recorder.record({ kind: "extend-answered", ...executionOf(claim), until });
      });
      if (refused === "CANCEL_REQUESTED") {
        await this.release(claim);
        return false;
      }
      // Some go on all the same.
      if (refused === "LEASE_LOST" && this.draw.chance(0.7)) return false;
    }
    await wait(this.clock, leftMs);
    return true;
  }

  private async release(claim: Claim): Promise<void> {
    await this.tell(claim, "release", (queues, named) => queues.release(named));
  }

  private async complete(claim: Claim): Promise<void> {
    await this.tell(claim, "complete", async (queues, named) => {
      const { isReplayed } = await queues.complete(named, null);
      this.count(isReplayed ? "complete replayed" : "complete counted");
      const { name: consumer } = this.plan;
      this.world.recorder.record({ kind: "success-answered", ...executionOf(claim), consumer, isReplayed });
    });
  }

  /** Says something about a task, again where no answer comes. @returns why it was refused; null: it was not */
  private async tell(
    { token }: Claim,
    what: string,
    work: (queues: NodeQueues, named: Awaited<ReturnType<NodeQueues["claimOf"]>>) => Promise<unknown>,
  ): Promise<string | null> {
    for (let calls = 0; calls < MOST_CALLS; calls++) {
      const isLost = !this.isCareful && this.draw.chance(0.15);
      const answer = await this.call({ goneAfterMs: PATIENCE_MS, isLost }, async (queues) =>
        work(queues, await queues.claimOf(token, NAMESPACE)),
      );
      const refused = answer !== null && "refused" in answer ? answer.refused : null;
      if (answer !== null && refused !== "STORE_UNAVAILABLE") {
        this.count(`${what} ${refused ?? "done"}`);
        if (refused === "CLAIM_NOT_FOUND" && !this.mayForget)
          this.world.recorder.surprise(`the answer to ${what}`, refused);
        return refused;
      }
      await wait(this.clock, PAUSE_MS);
    }
    return null;
  }

  /** Calls a node; an answer that is lost, or later than its caller's patience, is none. */
  private call<T>(
    { goneAfterMs, isLost }: { goneAfterMs: number; isLost: boolean },
    work: Call<T>,
  ): Promise<Answer<T>> {
    const able = this.world.processes.filter((process) => !process.isOver && !process.isStopping);
    const process = able.length === 0 ? null : this.draw.pick(able);
    if (process === null) return Promise.resolve(null);
    const { time } = this.world;
    const caller = new AbortController();
    return new Promise((resolve) => {
      const gone = time.setTimer(goneAfterMs, () => {
        process.clock.deliver(() => caller.abort());
        resolve(null);
      });
      const arrives = (answer: Answer<T>): void => {
        if (isLost) return;
        gone.clear();
        resolve(answer);
      };
      this.send(() => {
        void this.answerOf(process, (queues) => work(queues, caller.signal)).then((answer) =>
          time.setTimer(this.wayMs(), () => arrives(answer)),
        );
      }, process);
    });
  }

  private send(work: () => void, { clock }: SimulatedProcess): void {
    this.world.time.setTimer(this.wayMs(), () => clock.deliver(work));
  }

  private async answerOf<T>(
    { node, label }: SimulatedProcess,
    work: (queues: NodeQueues) => Promise<T>,
  ): Promise<Answer<T>> {
    try {
      return { reply: await work(node.features.queues!) };
    } catch (error) {
      if (error instanceof TickwheelError && error.code !== "INTERNAL") return { refused: error.code };
      this.world.recorder.surprise(`${label} answers ${this.plan.name}`, error);
      return null;
    }
  }

  private wayMs(): number {
    return this.draw.between(0, LONGEST_WAY_MS);
  }

  private count(what: string): void {
    this.world.recorder.count(`consumer ${what}`);
  }
}

function executionOf({ task: { id: taskId, fence } }: Claim): { taskId: string; fence: number } {
  return { taskId, fence };
}
