import type {
  ClaimReply,
  ClaimRequest,
  LimitedClaimReply,
  LimitedClaimRequest,
  LimitStore,
  TaskStore,
} from "@tickwheel/core";
import type { NodeStores } from "@tickwheel/nestjs/internals";

/**
 * What is under way between a node of a test and its stores. It counts the calls that have no answer yet, so that a
 * clock by hand can wait for real servers. It lets claims pass while time is moved alone: between two steps of a test
 * no task starts, also one that is due.
 */
export class StoreTraffic {
  private calls = 0;
  private claimedTasks = 0;
  private forgottenTasks = false;
  private isMoving = false;
  private isOver = false;
  private readonly waiting: (() => void)[] = [];

  /** How many calls have no answer yet; a claim that is held back is none. */
  get underWay(): number {
    return this.calls;
  }

  /** How many tasks have been claimed so far, also those whose handler was not called in the end. */
  get claimed(): number {
    return this.claimedTasks;
  }

  /** Whether ended tasks have been deleted because they had been kept long enough. */
  get hasForgotten(): boolean {
    return this.forgottenTasks;
  }

  /** Lets claims pass until {@link hold}. */
  admit(): void {
    this.isMoving = true;
    for (const pass of this.waiting.splice(0)) pass();
  }

  /** From now on claims wait. */
  hold(): void {
    this.isMoving = false;
  }

  /** The node stops for good: from now on a claim brings nothing. */
  end(): void {
    this.isOver = true;
    this.admit();
  }

  /** The same store, each of whose calls is counted. */
  counted<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...parameters: unknown[]) => this.count(() => Reflect.apply(member, target, parameters) as unknown);
      },
    });
  }

  /**
   * A node's stores, each of whose calls is counted, and whose claims wait between steps. Keys count too: the start of
   * an application with the API looks for one.
   */
  through(stores: NodeStores): NodeStores {
    const { nodes, figures, findings, policies, pulse } = stores;
    return {
      ...stores,
      tasks: this.gated(stores.tasks),
      cluster: this.counted(stores.cluster),
      ...(nodes && { nodes: this.counted(nodes) }),
      ...(pulse && { pulse: this.counted(pulse) }),
      effects: this.counted(stores.effects),
      schedules: this.counted(stores.schedules),
      events: this.counted(stores.events),
      batches: this.counted(stores.batches),
      operations: this.counted(stores.operations),
      deadLetters: this.counted(stores.deadLetters),
      settings: this.counted(stores.settings),
      limits: this.limited(stores.limits),
      breakers: this.counted(stores.breakers),
      figures: figures && this.counted(figures),
      findings: findings && this.counted(findings),
      policies: policies && this.counted(policies),
      apiKeys: this.counted(stores.apiKeys),
      sessions: this.counted(stores.sessions),
    };
  }

  /** The same store of tasks, counted, whose claims wait between steps, and whose retention is noted. */
  gated(tasks: TaskStore): TaskStore {
    const counted = this.counted(tasks);
    const own: Pick<TaskStore, "claim" | "maintain" | "forgetEnded"> = {
      claim: (request) => this.claim(tasks, request),
      maintain: async (retention) => {
        const reply = await counted.maintain(retention);
        if (reply.dropped.length > 0) this.forgottenTasks = true;
        return reply;
      },
      forgetEnded: async (request) => {
        const reply = await counted.forgetEnded(request);
        if (reply.forgotten > 0) this.forgottenTasks = true;
        return reply;
      },
    };
    return new Proxy(counted, {
      get: (target, name) => (Reflect.get(own, name) ?? Reflect.get(target, name)) as unknown,
    });
  }

  /** Limits, counted, within which claims wait between steps as well. */
  private limited(limits: LimitStore): LimitStore {
    const counted = this.counted(limits);
    return new Proxy(counted, {
      get: (target, name) =>
        name === "claimLimited"
          ? (request: LimitedClaimRequest) => this.claimLimited(limits, request)
          : (Reflect.get(target, name) as unknown),
    });
  }

  private async claim(tasks: TaskStore, request: ClaimRequest): Promise<ClaimReply> {
    await this.untilMoving();
    if (this.isOver) return { fenced: false, tasks: [] };
    const reply = await (this.count(() => tasks.claim(request)) as Promise<ClaimReply>);
    this.claimedTasks += reply.tasks.length;
    return reply;
  }

  private async claimLimited(limits: LimitStore, request: LimitedClaimRequest): Promise<LimitedClaimReply> {
    await this.untilMoving();
    if (this.isOver) return { outcome: "taken" };
    const reply = await (this.count(() => limits.claimLimited(request)) as Promise<LimitedClaimReply>);
    if (reply.outcome === "answered") this.claimedTasks += reply.tasks.length;
    return reply;
  }

  private async untilMoving(): Promise<void> {
    while (!this.isMoving) await new Promise<void>((pass) => this.waiting.push(pass));
  }

  private count(call: () => unknown): unknown {
    const answer = call();
    if (!(answer instanceof Promise)) return answer;
    this.calls++;
    const over = (): void => void this.calls--;
    answer.then(over, over);
    return answer;
  }
}
