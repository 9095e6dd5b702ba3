import { Injectable } from "@nestjs/common";
import { DelayTaskHandler, splitRange } from "@tickwheel/nestjs";

/** Most tasks that one range is split into. */
const PARTS = 500;

/**
 * A provider whose handler works through the range `[from, to)` of its payload. A range of one number is recorded in
 * `ctx.transaction`; a longer one is split, and a task is spawned for each part.
 */
export function chunkingHandler(type) {
  class ChunkingHandler {
    async handle({ id, payload: { from, to } }, ctx) {
      if (to - from > 1) {
        const parts = splitRange({ from, to }, { parts: Math.min(PARTS, to - from) });
        await ctx.spawn(parts.map((range) => ({ task: type, payload: range })));
        return;
      }
      await ctx.transaction((manager) =>
        manager.query("INSERT INTO counted (n, task_id, batch_id) VALUES ($1, $2, $3)", [from, id, ctx.batchId]),
      );
    }
  }
  Injectable()(ChunkingHandler);
  DelayTaskHandler(type)(ChunkingHandler);
  return ChunkingHandler;
}
