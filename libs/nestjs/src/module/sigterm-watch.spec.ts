import { beforeEach, describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { SIGTERM_GRACE_MS, SigtermWatch } from "./sigterm-watch.js";

describe("the warning about SIGTERM", () => {
  let clock: ManualClock;
  let warnings: string[];
  let listeners: number;
  let watch: SigtermWatch;

  beforeEach(() => {
    clock = new ManualClock();
    warnings = [];
    listeners = 0;
    watch = new SigtermWatch(
      clock,
      (text) => warnings.push(text),
      () => listeners,
    );
    watch.start();
  });

  test("the warning about SIGTERM comes once, when nobody has listened in time", async () => {
    await clock.advance(SIGTERM_GRACE_MS - 1);
    expect(warnings).toEqual([]);
    await clock.advance(10 * SIGTERM_GRACE_MS);
    expect(warnings).toEqual([expect.stringContaining("app.enableShutdownHooks()")]);
  });

  test("the warning about SIGTERM does not come where the hooks are enabled after the start", async () => {
    listeners = 1;
    await clock.advance(SIGTERM_GRACE_MS);
    expect(warnings).toEqual([]);
  });

  test("the warning about SIGTERM does not come once the application has gone", async () => {
    watch.stop();
    await clock.advance(SIGTERM_GRACE_MS);
    expect(warnings).toEqual([]);
  });
});
