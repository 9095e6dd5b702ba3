import { Inject, Injectable } from "@nestjs/common";
import {
  type DurationInput,
  ClusterCron,
  ClusterInterval,
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  defineTask,
  NonRetryableError,
  OnDelayTaskEvent,
  RetryAtError,
  type TaskDeadEvent,
} from "@tickwheel/nestjs";

/** What a handler of the diary does before it writes its line. */
export interface Order {
  text: string;
  /** It fails in its first attempts, so many times. */
  failures?: number;
  /** It puts itself off once. */
  snooze?: DurationInput;
  /** It makes this task at its end. */
  spawns?: string;
  /** It never ends by itself. */
  hangs?: boolean;
  final?: boolean;
  retryAt?: string;
}

export const Write = defineTask<Order>("diary.write", { backoff: { kind: "fixed", delay: "10s" } });
export const Gather = defineTask<{ bytes: number; names?: string[] }>("diary.gather");
export const Once = defineTask<{ text: string }>("diary.once", {
  maxAttempts: 2,
  backoff: { kind: "fixed", delay: 100 },
});

/** What has happened, a line each. */
@Injectable()
export class Diary {
  readonly lines: string[] = [];
  readonly dead: string[] = [];
  isOpen = true;
  /** Nothing fails any more. */
  isFixed = false;

  @OnDelayTaskEvent("task.dead")
  onDead({ facts }: TaskDeadEvent): void {
    this.dead.push(facts.type);
  }
}

@DelayTaskHandler(Write, { condition: isOpen })
export class Writer {
  constructor(@Inject(Diary) readonly diary: Diary) {}

  async handle({ payload, attempt }: DelayTask<Order>, ctx: DelayTaskContext): Promise<string | void> {
    const { text, failures = 0, snooze, spawns, hangs = false, final = false, retryAt } = payload;
    if (hangs)
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)));
    if (final) throw new NonRetryableError("this never works");
    if (attempt === 1 && retryAt) throw new RetryAtError(new Date(retryAt));
    if (attempt <= failures && !this.diary.isFixed) throw new Error(`failure ${attempt}`);
    if (snooze !== undefined && ctx.fence === 1) return ctx.snooze(snooze);
    if (spawns !== undefined) await ctx.spawn([{ task: Write, payload: { text: spawns }, delay: "1m" }]);
    this.diary.lines.push(text);
    return text;
  }
}

function isOpen(this: Writer): boolean {
  return this.diary.isOpen;
}

@DelayTaskHandler(Gather)
export class Gatherer {
  constructor(@Inject(Diary) private readonly diary: Diary) {}

  handle({ payload }: DelayTask<{ bytes: number; names?: string[] }>): void {
    this.diary.lines.push(`${payload.bytes} ${(payload.names ?? []).join("+")}`.trim());
  }
}

@DelayTaskHandler(Once)
export class OnceWriter {
  constructor(@Inject(Diary) private readonly diary: Diary) {}

  async handle({ payload, attempt }: DelayTask<{ text: string }>, ctx: DelayTaskContext): Promise<void> {
    const told = await ctx.once("tell", () => Promise.resolve(`${payload.text} ${attempt}`));
    await ctx.checkpoint({ attempt });
    if (attempt === 1) throw new Error("after the step");
    await ctx.transaction(() => Promise.resolve(this.diary.lines.push(told)));
  }
}

@Injectable()
export class Daily {
  constructor(@Inject(Diary) private readonly diary: Diary) {}

  @ClusterCron("0 9 * * *", { name: "nine", timeZone: "Europe/Berlin" })
  nine(_task: DelayTask, ctx: DelayTaskContext): void {
    this.diary.lines.push(`nine ${ctx.occurrenceAt!.toISOString()}`);
  }

  @ClusterInterval("6h", { name: "quarter", startsAt: "2026-03-01T00:00:00Z" })
  quarter(): void {
    this.diary.lines.push("quarter");
  }
}
