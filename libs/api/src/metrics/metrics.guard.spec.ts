import "reflect-metadata";
import { expect, test } from "@jest/globals";
import type { ExecutionContext } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type ApiKey, TickwheelError } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { RequireClusterRight, RequireRole } from "../keys/api-key.guard.js";
import type { Callers } from "../keys/callers.js";
import { MetricsGuard } from "./metrics.guard.js";

const DAY_MS = 24 * 60 * 60 * 1_000;
const KEY = "k".repeat(40);

class Metrics {
  @RequireRole("viewer")
  @RequireClusterRight()
  metrics(): void {}
}

/** A guard whose keys are found as `answer` says. */
function scene() {
  const clock = new ManualClock();
  const store = { answer: (): ApiKey | null => ({ id: "1", role: "viewer", cluster: true }) as ApiKey };
  const find = async () => {
    const apiKey = store.answer();
    return apiKey && { apiKey, session: null };
  };
  const guard = new MetricsGuard({ find } as unknown as Callers, new Reflector(), clock);
  const ask = (secret = KEY): Promise<string> => {
    const request = { method: "GET", headers: { authorization: `Bearer ${secret}` }, socket: {} };
    const context = {
      switchToHttp: () => ({ getRequest: () => request }),
      getHandler: () => Reflect.get(Metrics.prototype, "metrics") as () => void,
    } as unknown as ExecutionContext;
    return guard.canActivate(context).then(
      () => "in",
      (error: TickwheelError) => error.code,
    );
  };
  return { clock, store, ask };
}

function away(): never {
  throw new TickwheelError("STORE_UNAVAILABLE", "away");
}

test("a key that was let in to the metrics within a day is let in while the store is away, and no other key", async () => {
  const { clock, store, ask } = scene();
  expect(await ask()).toBe("in");
  store.answer = away;
  expect(await ask()).toBe("in");
  expect(await ask("x".repeat(40))).toBe("STORE_UNAVAILABLE");
  await clock.advance(DAY_MS);
  expect(await ask()).toBe("STORE_UNAVAILABLE");
});

test.each<{ what: string; answer: () => ApiKey | null; code: string }>([
  { what: "was revoked", answer: () => null, code: "UNAUTHENTICATED" },
  {
    what: "has lost the right cluster",
    answer: () => ({ id: "1", role: "viewer", cluster: false }) as ApiKey,
    code: "FORBIDDEN",
  },
])("a key that $what before the store went away stays out of the metrics", async ({ answer, code }) => {
  const { store, ask } = scene();
  expect(await ask()).toBe("in");
  store.answer = answer;
  expect(await ask()).toBe(code);
  store.answer = away;
  expect(await ask()).toBe("STORE_UNAVAILABLE");
});

test("a key that may not read metrics is not let in by an outage", async () => {
  const { store, ask } = scene();
  store.answer = () => ({ id: "1", role: "viewer", cluster: false }) as ApiKey;
  expect(await ask()).toBe("FORBIDDEN");
  store.answer = away;
  expect(await ask()).toBe("STORE_UNAVAILABLE");
});
