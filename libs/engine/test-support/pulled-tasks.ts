import { JSON_NULL, type NewTask, type PullReply, type PullRequest, type Task, type TypeId } from "@tickwheel/core";
import { MemoryWorld, type StatementName } from "@tickwheel/testing";

const NAMESPACE = "shop";

/** A store with one type that consumers pull. Its pulls can be held up. */
export class PulledTasks {
  readonly world = new MemoryWorld(1);
  readonly node = this.world.join("n1");
  readonly namespace = NAMESPACE;
  /** What was asked of {@link pull}. */
  readonly asked: PullRequest[] = [];
  typeId: TypeId = 0;
  private created = 0;
  private open: Promise<void> = Promise.resolve();

  static async of(): Promise<PulledTasks> {
    const tasks = new PulledTasks();
    tasks.typeId = (await tasks.node.tasks.ensureType({ namespace: NAMESPACE, type: "resize", delivery: "pull" })).id;
    return tasks;
  }

  get clock() {
    return this.world.clock;
  }

  nowMs(): number {
    return this.world.database.now();
  }

  /** Creates this number of tasks that are due after a while: their ids, in the order in which they are pulled. */
  async create(count: number, delayMs = 0): Promise<string[]> {
    const ids = Array.from({ length: count }, () => `t${String(++this.created).padStart(3, "0")}`);
    const traits: Omit<NewTask, "id"> = {
      typeId: this.typeId,
      key: null,
      payload: JSON_NULL,
      due: { delayMs },
      startDeadlineMs: null,
      onConflict: "reject",
      priority: 5,
      maxAttempts: 3,
      backoff: { kind: "fixed", delayMs: 0 },
      timeoutMs: 30_000,
      delivery: null,
      actor: "test",
    };
    await this.node.tasks.create({ namespace: NAMESPACE, tasks: ids.map((id) => ({ id, ...traits })) });
    return ids;
  }

  /** The pull of the store, once it is let through. */
  async pull(request: PullRequest): Promise<PullReply> {
    this.asked.push(request);
    await this.open;
    return this.node.leases.pull(request);
  }

  /** Holds up the pulls from now on. @returns lets them through */
  hold(): () => Promise<void> {
    let letThrough = (): void => undefined;
    this.open = new Promise((resolve) => (letThrough = resolve));
    return () => {
      letThrough();
      return this.clock.settle();
    };
  }

  pause(): Promise<unknown> {
    const subject = { namespace: NAMESPACE, typeId: this.typeId, key: null };
    return this.node.settings.changeSettings({ kind: "pause", actor: "test", subject, until: null, reason: null });
  }

  /** Limits how many of them may run. */
  limit(maxRunning: number): Promise<unknown> {
    return this.node.settings.changeSettings({
      kind: "type",
      actor: "test",
      typeId: this.typeId,
      values: { maxRunning },
    });
  }

  get(id: string): Promise<Task | null> {
    return this.node.tasks.get(NAMESPACE, id);
  }

  cancel(id: string): Promise<unknown> {
    return this.node.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "test" });
  }

  /** How many statements of this kind have changed tasks. */
  writes(statement: StatementName): number {
    return this.world.database.log.filter((record) => record.statement === statement).length;
  }
}
