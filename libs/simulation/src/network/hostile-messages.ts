import type { Random } from "@tickwheel/core";

/** What somebody who listens on the channel can know, and would use. */
export interface Overheard {
  taskIds: readonly string[];
  typeIds: readonly number[];
  /** The database's time, in epoch milliseconds. */
  nowMs: number;
}

/**
 * Messages of somebody who wishes a cluster ill, the same ones for the same chance: rubbish, what is nearly a message,
 * and messages that are well formed and untrue: tasks that do not exist, others' types, due times and versions of his
 * own making, cancels that nobody asked for. Each can be said in JSON, and most are short enough for a NOTIFY.
 *
 * @example const text = JSON.stringify(new HostileMessages(new SeededRandom(7)).next({ taskIds, typeIds: [1, 2], nowMs: Date.now() }))
 */
export class HostileMessages {
  constructor(private readonly random: Random) {}

  next(overheard: Overheard): unknown {
    const make = this.pick([
      () => this.rubbish(),
      () => ({ kind: "hints", hints: this.rubbish() }),
      () => ({ kind: "hints", hints: [this.rubbish(), this.untrueHint(overheard)] }),
      () => ({ kind: "hints", hints: this.some(5, () => this.nearHint(overheard)) }),
      () => ({ kind: "hints", hints: this.some(40, () => this.untrueHint(overheard)) }),
      () => ({ kind: "hints", hints: Array<unknown>(501).fill({}) }),
      () => ({ kind: "load" }),
      () => ({ kind: "view", number: this.pick([0, 1_000_000, Number.MAX_SAFE_INTEGER, this.rubbish()]) }),
      () => ({ kind: "cancel", id: this.taskId(overheard), fence: this.pick([0, 1, 2, 3]) }),
      () => ({ kind: "cancel", id: this.rubbish(), fence: this.rubbish() }),
      () => ({ kind: this.rubbish(), hints: [], number: 1, id: "", fence: 0 }),
    ]);
    return make();
  }

  /** A value that nobody expects. */
  rubbish(): unknown {
    const make = this.pick<() => unknown>([
      () => null,
      () => this.pick([true, 0, -0, -1, 1.5, 1e300, 2 ** 53, -(2 ** 31) - 1]),
      () => this.pick(["", "\0", "\uD800", "'; DROP TABLE task; --", "not-a-uuid", "9".repeat(400), "load"]),
      () => [],
      () => [null],
      () => ({ length: 1_000_000_000 }),
      () => JSON.parse('{"__proto__":{"kind":"load"},"constructor":null,"toString":1}') as unknown,
      () => this.nested(this.upTo(500)),
      () => "x".repeat(this.upTo(3_000)),
    ]);
    return make();
  }

  /** A hint of which one field is not as it should be. */
  private nearHint(overheard: Overheard): unknown {
    const id = this.taskId(overheard);
    const broken = this.pick<object>([
      {
        id: this.pick([
          id.toUpperCase(),
          id.slice(1),
          `${id}\0`,
          `${id} `,
          id.replace(/-7(...)-/, "-4$1-"),
          this.rubbish(),
        ]),
      },
      { typeId: this.pick([0, -1, 1.5, 2 ** 31, "1", this.rubbish()]) },
      { version: this.pick([-1, 0.5, 2 ** 31, null, this.rubbish()]) },
      { dueAt: this.pick([-1, 1e300, 0.1, "now", null, this.rubbish()]) },
      { priority: this.pick([-1, 10, 1e9, "5", this.rubbish()]) },
    ]);
    return { ...this.untrueHint(overheard), ...broken };
  }

  /** A hint without a fault, and without truth. */
  private untrueHint({ taskIds, typeIds, nowMs }: Overheard): object {
    return {
      id: this.taskId({ taskIds }),
      typeId: this.pick([...typeIds, 77]),
      version: this.pick([0, 1, 2, 2 ** 31 - 1]),
      dueAt: Math.max(0, Math.floor(nowMs + this.pick([-1e9, -1_000, 0, 0, 50, 1_000, 14_000, 1e10]))),
      priority: this.pick([0, 5, 9]),
    };
  }

  private taskId({ taskIds }: Pick<Overheard, "taskIds">): string {
    if (taskIds.length > 0 && this.random.next() < 0.5) return this.pick(taskIds);
    const hex = [...this.random.bytes(16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const parts = [hex.slice(0, 8), hex.slice(8, 12), `7${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)];
    return parts.join("-");
  }

  private nested(depth: number): unknown {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = [value];
    return value;
  }

  private some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.upTo(most) }, make);
  }

  private upTo(most: number): number {
    return 1 + Math.floor(this.random.next() * most);
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random.next() * from.length)]!;
  }
}
