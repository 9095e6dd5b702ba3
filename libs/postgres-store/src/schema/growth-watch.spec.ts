import { describe, expect, test } from "@jest/globals";
import { GrowthWatch } from "./growth-watch.js";

class Stage {
  nowMonoMs = 1_000;
  readonly sent: string[] = [];
  grown: string[] = [];
  answers: (() => void)[] = [];
  readonly watch = new GrowthWatch(
    { run: (statement) => this.run(statement.sql('"s"')) as never },
    { monotonicMs: () => this.nowMonoMs },
  );

  private run(sql: string): Promise<unknown[]> {
    this.sent.push(/ANALYZE.*/.exec(sql)?.[0] ?? "look");
    return new Promise((resolve) => this.answers.push(() => resolve(this.grown)));
  }

  async answer(): Promise<void> {
    this.answers.splice(0).forEach((answer) => answer());
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("GrowthWatch", () => {
  test("GrowthWatch looks once per 500 rows, and has a table that has grown analysed", async () => {
    const stage = new Stage();
    stage.grown = ["task"];
    stage.watch.wrote(400);
    expect(stage.sent).toEqual([]);
    stage.watch.wrote(100);
    await stage.answer();
    expect(stage.sent).toEqual(["look", 'ANALYZE (SKIP_LOCKED) "s".task (id)']);
  });

  test("GrowthWatch looks once at a time, and at most once a second while nothing has grown", async () => {
    const stage = new Stage();
    for (let call = 0; call < 10; call++) stage.watch.wrote(1_000);
    await stage.answer();
    stage.watch.wrote(1_000);
    expect(stage.sent).toEqual(["look"]);
    stage.nowMonoMs += 1_000;
    stage.watch.wrote(1);
    expect(stage.sent).toEqual(["look", "look"]);
  });

  test("GrowthWatch tries again after a look that failed", async () => {
    let looks = 0;
    const failing = { run: () => Promise.reject(new Error(`no ${++looks}`)) };
    const clock = { nowMonoMs: 0, monotonicMs: () => (clock.nowMonoMs += 1_000) };
    const watch = new GrowthWatch(failing, clock);
    watch.wrote(500);
    await new Promise((resolve) => setImmediate(resolve));
    watch.wrote(500);
    expect(looks).toBe(2);
  });
});
