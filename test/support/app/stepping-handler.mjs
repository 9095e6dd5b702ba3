import { Injectable } from "@nestjs/common";
import { DelayTaskHandler } from "@tickwheel/nestjs";
import { Pool } from "pg";

const NOTE = "INSERT INTO noted (task_id, node, fence, what, step, value) VALUES ($1, $2, $3, $4, $5, $6)";
const STEP = "INSERT INTO stepped (task_id, step, fence, gate) VALUES ($1, $2, $3, $4)";
/** What notes a step must not wait for the connections of the steps. */
const NOTING_CONNECTIONS = 4;
/** Its result is asked for in every attempt. */
const FIRST = "first";

/**
 * A provider whose handler does one step (`ctx.once`), then a step and a checkpoint for each of `rows`, from the last
 * checkpoint on. It notes on connections of its own what it begins and what it was told (see `StepRecords`).
 *
 * The payload's `place` and `at` say where the task's first execution stands still until its process is killed: at the
 * row `at`, inside the step (`effect`), between the step and its checkpoint (`answer`), behind the checkpoint
 * (`checkpoint`), at the end of all rows (`end`), or in the commit of the step, which waits for the database's lock
 * `gate` (`commit`). With any other place it runs through.
 */
export function steppingHandler(type, databaseUrl) {
  class SteppingHandler {
    constructor() {
      this.notes = new Pool({ connectionString: databaseUrl, max: NOTING_CONNECTIONS, allowExitOnIdle: true });
    }

    async handle({ id, payload }, ctx) {
      const { row: from } = (await ctx.lastCheckpoint()) ?? { row: 0 };
      const execution = new Execution(this.notes, { id, payload, ctx });
      await execution.note("began", null, from);
      await execution.step(FIRST, 0);
      for (let row = from + 1; row <= payload.rows; row++) {
        await execution.step(`row ${row}`, row);
        await execution.stand("answer", row);
        await execution.checkpoint(row);
        await execution.stand("checkpoint", row);
      }
      await execution.stand("end", payload.at);
      await execution.note("ended");
      return payload.rows;
    }
  }
  Injectable()(SteppingHandler);
  DelayTaskHandler(type)(SteppingHandler);
  return SteppingHandler;
}

class Execution {
  constructor(notes, { id, payload, ctx }) {
    Object.assign(this, { notes, id, payload, ctx });
  }

  async note(what, step = null, value = null) {
    await this.notes.query(NOTE, [this.id, String(process.pid), this.ctx.fence, what, step, value]);
  }

  async step(name, row) {
    const { fence } = this.ctx;
    const answer = await this.ctx.once(name, async (manager) => {
      await this.note("works", name);
      const gate = this.isPlace("commit", row) ? this.payload.gate : null;
      await manager.query(STEP, [this.id, name, fence, gate]);
      await this.stand("effect", row);
      return { fence };
    });
    await this.note("answered", name, answer.fence);
  }

  async checkpoint(row) {
    await this.note("checkpoints", null, row);
    await this.ctx.checkpoint({ row });
    await this.note("checkpointed", null, row);
  }

  isPlace(place, row) {
    return this.ctx.fence === 1 && this.payload.place === place && this.payload.at === row;
  }

  async stand(place, row) {
    if (!this.isPlace(place, row)) return;
    await this.note("stands");
    await new Promise(() => {});
  }
}
