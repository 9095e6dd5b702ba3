import { Injectable } from "@nestjs/common";
import {
  ClusterCron,
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskService,
  type PayloadOf,
} from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { closeDay, paidSum, settledSum, settlePage, type Sum } from "./settlement-rows.js";
import { SettlementService } from "./settlement.service.js";
import { CompareDay, PAGE, SettleLeftovers, SettleRange, ZONE } from "./settlement.tasks.js";

/** Settles each day's payments five minutes after its end. */
@Injectable()
export class SettlementHandlers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly delayTasks: DelayTaskService,
    private readonly settlements: SettlementService,
  ) {}

  @ClusterCron("5 0 * * *", { name: "settlement", timeZone: ZONE })
  async begin(_task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await ctx.transaction(async (manager) => ({ batch: await this.settlements.begin(ctx.occurrenceAt!, manager) }));
  }

  /** Page by page, each once: what a node that dies has settled is settled, and the next attempt goes on behind it. */
  @DelayTaskHandler(SettleRange)
  async settle({ payload }: DelayTask<PayloadOf<typeof SettleRange>>, ctx: DelayTaskContext): Promise<Sum> {
    await ctx.walk<number>((from, manager) =>
      settlePage(manager, { ...payload, from: from ?? payload.from, limit: PAGE }),
    );
    return settledSum(this.dataSource, payload);
  }

  /** The members' own sums, one SQL sum of what is settled, and one of all that was paid. */
  @DelayTaskHandler(CompareDay)
  async compare({ payload: { day } }: DelayTask<PayloadOf<typeof CompareDay>>, ctx: DelayTaskContext) {
    const results = await this.delayTasks.batches.results<Sum>(ctx.batchId!);
    const told = results.reduce((sum, { result }) => plus(sum, result), NOTHING);
    await ctx.transaction(async (manager) => {
      const settled = await settledSum(manager, { day });
      const paid = await paidSum(manager, day);
      await closeDay(manager, { day, settled, missing: paid.payments - settled.payments });
      return { told, settled, paid };
    });
  }

  /** Settles what was committed too late, or belongs to a member that died for good. */
  @DelayTaskHandler(SettleLeftovers)
  async settleLeftovers({ payload: { day } }: DelayTask<PayloadOf<typeof SettleLeftovers>>, ctx: DelayTaskContext) {
    await ctx.walk<number>((from, manager) => settlePage(manager, { day, from: from ?? 0, to: null, limit: PAGE }));
    const settled = await settledSum(this.dataSource, { day });
    const paid = await paidSum(this.dataSource, day);
    await closeDay(this.dataSource, { day, settled, missing: paid.payments - settled.payments });
    return settled;
  }
}

const NOTHING: Sum = { payments: 0, cents: 0 };

function plus(one: Sum, other: Sum): Sum {
  return { payments: one.payments + other.payments, cents: one.cents + other.cents };
}
