import { Injectable } from "@nestjs/common";
import { DelayTaskHandler } from "@tickwheel/nestjs";
import { Pool } from "pg";

const NOTE = "INSERT INTO noted (task_id, node, fence, what, value) VALUES ($1, $2, $3, $4, $5)";
const PAGE = `INSERT INTO stepped (task_id, step, fence, gate)
  SELECT $1, 'row ' || n, $2, $3 FROM generate_series($4::int, $5::int) n`;
/** What notes a page must not wait for the connections of the pages. */
const NOTING_CONNECTIONS = 4;

/**
 * A provider whose handler walks (`ctx.walk`) through `rows` rows, `page` of them at a time. It notes on connections of
 * its own where it began, and where each page that it works at begins (see `StepRecords`).
 *
 * The payload's `place` and `at` say where the task's first execution stands still until its process is killed: in the
 * page that ends with the row `at`, behind its effects (`page`), in the commit of that page, which waits for the
 * database's lock `gate` (`commit`), behind that commit, before anything of the next page (`behind`), or behind the
 * whole walk (`end`). With any other place it runs through.
 */
export function walkingHandler(type, databaseUrl) {
  class WalkingHandler {
    constructor() {
      this.notes = new Pool({ connectionString: databaseUrl, max: NOTING_CONNECTIONS, allowExitOnIdle: true });
    }

    async handle({ id, payload }, ctx) {
      const execution = new Execution(this.notes, { id, payload, ctx });
      await ctx.walk((from, manager) => execution.page(from ?? 0, manager));
      await execution.begin(payload.rows);
      await execution.stand("end", payload.at);
      await execution.note("ended");
    }
  }
  Injectable()(WalkingHandler);
  DelayTaskHandler(type)(WalkingHandler);
  return WalkingHandler;
}

class Execution {
  constructor(notes, { id, payload, ctx }) {
    Object.assign(this, { notes, id, payload, ctx, hasBegun: false });
  }

  async page(from, manager) {
    const { payload, ctx } = this;
    await this.begin(from);
    await this.stand("behind", from);
    const to = Math.min(from + payload.page, payload.rows);
    await this.note("works", from);
    const gate = this.isPlace("commit", to) ? payload.gate : null;
    await manager.query(PAGE, [this.id, ctx.fence, gate, from + 1, to]);
    await this.stand("page", to);
    return to < payload.rows ? to : null;
  }

  /** Once. A walk that is over has no page. */
  async begin(row) {
    if (this.hasBegun) return;
    this.hasBegun = true;
    await this.note("began", row);
  }

  async note(what, value = null) {
    await this.notes.query(NOTE, [this.id, String(process.pid), this.ctx.fence, what, value]);
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
