import {
  type ClaimSecretStore,
  type Clock,
  type Coordination,
  type EpochMs,
  type HeldLease,
  type LeaseStore,
  MAX_LEASE_MS,
  type MetricReading,
  type PulledTask,
  type Service,
  shownText,
  type TaskHint,
  type TaskType,
  TickwheelError,
  type TypeId,
  wait,
} from "@tickwheel/core";
import type { ClusterNode } from "@tickwheel/coordination";
import { RetryPace } from "../ending/retry-pace.js";
import { MAX_NAMED_TYPES } from "../counting/type-totals.js";
import { deliveryConflict } from "../requests/rejections.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { ClaimSecrets } from "./claim-secrets.js";
import { type ClaimEnd, type ClaimFailure, ClaimService } from "./claim-service.js";
import type { PulledClaim } from "./claim-tokens.js";
import { LeaseKeeper } from "./lease-keeper.js";
import { type EndingWord, PullMeters } from "./pull-meters.js";
import type { PullAsk } from "./queue-desk.js";
import { QueueDesks } from "./queue-desks.js";

/** A secret is good for so long after a newer one was made: for longer than a lease can last. */
const SECRET_KEPT_MS = MAX_LEASE_MS + 86_400_000;

/** A type that is not known is looked for this often. */
const TYPE_LOOK_MS = 1_000;

export interface QueueParts {
  clock: Clock;
  leases: LeaseStore;
  secrets: ClaimSecretStore;
  coordination: Pick<Coordination, "send">;
  types: TypeDirectory;
  /** Null: this node is no member of the cluster, so it hears no hints. */
  member: Pick<ClusterNode, "listen"> | null;
  /** Receives tasks that are scheduled again. */
  publish: (hints: TaskHint[]) => void;
  /** A task has ended, and the store knows. */
  ended: (id: string) => void;
  /** Makes the next task of a series whose task has started. */
  goOn: (started: PulledTask) => Promise<void>;
}

/** A task of a consumer, and the token by which the consumer speaks of it. */
export interface Claim {
  token: string;
  /** The name of the task's type. */
  type: string;
  task: PulledTask;
}

/** What consumers may do on this node: wait for tasks, and say what became of them. */
export class NodeQueues {
  readonly services: readonly Service[];
  private readonly desks: QueueDesks;
  private readonly claims: ClaimService;
  private readonly tokens: ClaimSecrets;
  private readonly meters = new PullMeters();

  constructor(
    context: EngineContext,
    private readonly parts: QueueParts,
  ) {
    const { clock, random, tasks, tallies, dbClock, options } = context;
    const { leases, secrets, coordination, types, publish, ended, goOn } = parts;
    const nowMs = (): EpochMs => dbClock.nowMs();
    const { minBackoffMs: leastMs, retriesPerSecondPerNamespace: perSecond } = options;
    const pace = new RetryPace(clock, { leastMs, perSecond });
    const claims = new ClaimService({
      clock,
      random,
      tasks,
      leases,
      tallies,
      pace,
      nowMs,
      publish,
      ended,
      goOn,
    });
    this.claims = claims;
    this.tokens = new ClaimSecrets({ clock, store: secrets });
    this.desks = new QueueDesks({
      clock,
      random,
      coordination,
      nowMs,
      pull: async (request) => {
        const reply = await leases.pull(request);
        this.meters.pulled(reply);
        return reply;
      },
      isPulled: (typeId) => types.isPulled(typeId),
      giveBack: (found) => claims.giveBack(found),
    });
    const keeper = new LeaseKeeper(context, {
      leases,
      isNeeded: () => types.hasPulled,
      ended: (over) => {
        this.meters.ended(over.length);
        claims.leasesEnded(over);
      },
    });
    this.services = [keeper];
    parts.member?.listen({ received: (message) => this.desks.receive(message) });
  }

  /** Takes the hints about tasks that consumers fetch, and gives the others back. */
  take(hints: readonly TaskHint[]): readonly TaskHint[] {
    return this.parts.types.hasPulled ? this.desks.take(hints) : hints;
  }

  open(): void {
    this.desks.open();
  }

  /** Answers all calls that wait. */
  close(): void {
    this.desks.close();
  }

  /** What this node has done for consumers, and how many wait now: those of the types with most of them by name. */
  metrics(): MetricReading[] {
    const waiting = this.desks.waitingTypes().flatMap((typeId) => {
      const type = this.parts.types.get(typeId);
      if (type === undefined) return [];
      return [{ labels: { namespace: type.namespace, type: type.type }, value: this.waitersOf(typeId) }];
    });
    waiting.sort((one, other) => other.value - one.value);
    return [{ name: "tickwheel_pull_waiters", samples: waiting.slice(0, MAX_NAMED_TYPES) }, ...this.meters.read()];
  }

  /** How many calls wait on this node for tasks of a type. */
  waitersOf(typeId: TypeId): number {
    return this.desks.waitersOf(typeId);
  }

  /** The oldest claims of a type. */
  heldLeases(typeId: TypeId, limit: number): Promise<HeldLease[]> {
    return this.parts.leases.heldLeases({ typeId, limit });
  }

  /**
   * Waits for tasks of a type of the namespace. A caller that goes while it waits gets none; tasks that were pulled for
   * it are given back.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`; `TYPE_DELIVERY_CONFLICT`: no consumer fetches its tasks; `RATE_LIMITED`;
   *   `STORE_UNAVAILABLE`
   */
  async claim(
    named: { namespace: string; type: string },
    ask: PullAsk,
  ): Promise<{ claims: Claim[]; isPaused: boolean }> {
    const { type, waitMs } = await this.typeOf(named, ask);
    if (type.delivery !== "pull") throw deliveryConflict(named, type.delivery);
    const answer = await this.desks.wait(type.id, { ...ask, waitMs });
    const { tasks } = answer;
    await this.claims.began(answer);
    const tokens = tasks.length === 0 ? [] : await this.tokens.sign(tasks);
    if (ask.signal?.aborted === true) this.claims.giveBack(tasks);
    return {
      claims: tasks.map((task, place) => ({ task, type: named.type, token: tokens[place]! })),
      isPaused: answer.isPaused,
    };
  }

  /** Makes a new secret for the tokens of the whole cluster; older tokens stay good for a day. Answers its number. */
  async rotateSecret(): Promise<number> {
    const id = await this.parts.secrets.addSecret();
    await this.parts.secrets.retireSecrets(SECRET_KEPT_MS);
    return id;
  }

  /**
   * The type, and how long the call may still wait. A type that is not there is waited for as well: its first task
   * makes it, and one that another node has made within a second may not be known here yet.
   */
  private async typeOf(
    named: { namespace: string; type: string },
    { waitMs, signal }: PullAsk,
  ): Promise<{ type: TaskType; waitMs: number }> {
    const { clock, types } = this.parts;
    const endMonoMs = clock.monotonicMs() + Math.max(waitMs, TYPE_LOOK_MS);
    for (;;) {
      const type = await types.lookUp(named);
      const leftMs = endMonoMs - clock.monotonicMs();
      if (type) return { type, waitMs: Math.min(waitMs, Math.max(0, leftMs)) };
      if (leftMs <= 0 || this.desks.isClosed || signal?.aborted === true)
        throw new TickwheelError("TYPE_NOT_FOUND", `There is no type ${shownText(named.type)}.`);
      await wait(clock, Math.min(leftMs, TYPE_LOOK_MS), signal);
    }
  }

  /** Gives claims back whose caller has gone before their answer was on its way. Never throws. */
  giveBack(claims: readonly Claim[]): void {
    this.claims.giveBack(claims.map(({ task }) => task));
  }

  /**
   * What a token names, and the name of its type.
   *
   * @throws TickwheelError `CLAIM_NOT_FOUND`: it is none of this namespace's
   */
  async claimOf(token: string, namespace: string): Promise<PulledClaim & { type: string }> {
    const named = await this.tokens.read(token);
    const type = named && (await this.parts.types.lookUpId(named.typeId));
    if (!named || type?.namespace !== namespace) throw new TickwheelError("CLAIM_NOT_FOUND", "there is no such claim");
    return { ...named, namespace, type: type.type };
  }

  /** @throws TickwheelError `LEASE_LOST`, `CANCEL_REQUESTED` */
  extend(claim: PulledClaim, leaseMs: number): Promise<{ leaseUntil: EpochMs }> {
    return this.meters.counted("extend", this.claims.extend(claim, leaseMs));
  }

  /** @throws TickwheelError `LEASE_LOST` */
  complete(claim: PulledClaim, result: string | null): Promise<ClaimEnd> {
    return this.ended(claim, "complete", this.claims.complete(claim, result));
  }

  /** @throws TickwheelError `LEASE_LOST` */
  fail(claim: PulledClaim, failure: ClaimFailure): Promise<ClaimEnd> {
    return this.ended(claim, "fail", this.claims.fail(claim, failure));
  }

  /** @throws TickwheelError `LEASE_LOST` */
  release(claim: PulledClaim): Promise<ClaimEnd> {
    return this.ended(claim, "release", this.claims.release(claim));
  }

  private async ended({ typeId }: PulledClaim, word: EndingWord, end: Promise<ClaimEnd>): Promise<ClaimEnd> {
    const told = await this.meters.counted(word, end);
    this.desks.roomFreed(typeId);
    return told;
  }
}
