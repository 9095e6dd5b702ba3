import { Injectable } from "@nestjs/common";
import { dayBefore, DelayTaskService, splitRange } from "@tickwheel/nestjs";
import type { EntityManager } from "typeorm";
import { beginDay, idsOf, type SettledDay } from "./settlement-rows.js";
import {
  CompareDay,
  IDS_OF_A_MEMBER,
  LEFTOVERS_AFTER,
  type PaymentRange,
  SettleLeftovers,
  SettleRange,
  ZONE,
} from "./settlement.tasks.js";

const MOST_MEMBERS = 1_000;

/** Begins settlements: each makes a batch whose members settle a part of the day each. */
@Injectable()
export class SettlementService {
  constructor(private readonly delayTasks: DelayTaskService) {}

  /**
   * Begins to settle the day before an instant, in the caller's transaction. A day is begun once, however often it is
   * asked for.
   *
   * @returns the batch's id; null: the day was begun before
   */
  async begin(instant: Date, manager: EntityManager): Promise<string | null> {
    const day = dayToSettle(instant);
    if (!(await beginDay(manager, day))) return null;
    const { id } = await this.delayTasks.batches.create(
      {
        name: `settlement:${day.day}`,
        tasks: (await this.rangesOf(day, manager)).map((payload) => ({ task: SettleRange, payload })),
        onComplete: { task: CompareDay, payload: { day: day.day } },
        deadline: "6h",
        retryDead: true,
        seal: true,
      },
      { manager },
    );
    await this.delayTasks.schedule(
      SettleLeftovers,
      { day: day.day },
      { delay: LEFTOVERS_AFTER, key: day.day, onConflict: "return", manager },
    );
    return id;
  }

  private async rangesOf(day: SettledDay, manager: EntityManager): Promise<PaymentRange[]> {
    const ids = await idsOf(manager, day);
    if (ids === null) return [];
    const size = Math.max(IDS_OF_A_MEMBER, Math.ceil((ids.to - ids.from) / MOST_MEMBERS));
    return splitRange(ids, { size }).map((range) => ({ day: day.day, ...range }));
  }
}

/** The day before an instant: half open, 23 or 25 hours long where the clock changes. */
export function dayToSettle(instant: Date): SettledDay {
  const { from, to } = dayBefore(ZONE, instant);
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: ZONE }).format(from);
  return { day, from: new Date(from), to: new Date(to) };
}
