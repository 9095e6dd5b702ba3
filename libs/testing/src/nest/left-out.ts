import type { DelayTaskService } from "@tickwheel/nestjs";

/** What a pause of the kit's own gives for its reason. */
const REASON = "left out by a test";

/**
 * Types that a move of the time leaves out: they and their schedules are paused meanwhile. What a test has paused
 * itself is left as it is.
 */
export class LeftOut {
  private readonly types: string[] = [];
  private readonly schedules: string[] = [];

  private constructor(private readonly service: Pick<DelayTaskService, "types" | "schedules">) {}

  /** @throws TickwheelError `TYPE_NOT_FOUND`; what was paused until then goes on */
  static async of(service: Pick<DelayTaskService, "types" | "schedules">, types: readonly string[]): Promise<LeftOut> {
    const leftOut = new LeftOut(service);
    try {
      for (const type of types) await leftOut.pause(type);
    } catch (error) {
      await leftOut.end();
      throw error;
    }
    return leftOut;
  }

  /** They go on. */
  async end(): Promise<void> {
    const { types, schedules } = this.service;
    for (const name of this.schedules.splice(0)) await schedules.resume(name);
    for (const type of this.types.splice(0)) await types.resume(type);
  }

  private async pause(type: string): Promise<void> {
    const { types, schedules } = this.service;
    for (const name of await this.activeSchedules(type)) {
      await schedules.pause(name, { reason: REASON });
      this.schedules.push(name);
    }
    if ((await types.standing(type)).pause !== null) return;
    await types.pause(type, { reason: REASON });
    this.types.push(type);
  }

  private async activeSchedules(type: string): Promise<string[]> {
    const names: string[] = [];
    let after: string | null = null;
    do {
      const filter = { type, state: "active" as const, ...(after !== null && { after }) };
      const page: Awaited<ReturnType<DelayTaskService["schedules"]["list"]>> =
        await this.service.schedules.list(filter);
      names.push(...page.items.map(({ name }) => name));
      after = page.next;
    } while (after !== null);
    return names;
  }
}
