import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { HELD_MS, type Telling, tellingOf, type Told } from "./telling.js";

const away = new TickwheelError("STORE_UNAVAILABLE", "no reply");
const refused = new TickwheelError("INTERNAL", "no right to do so");
const loop: Told = { part: "engine.sweep", error: away, lastedMs: 0, isPostgresAway: false, wasQuiet: false };

test.each<[string, Partial<Told>, Telling]>([
  ["Postgres itself at once", { part: "postgres", isPostgresAway: true }, "aloud"],
  ["Redis at once, though Postgres is away, too", { part: "redis", error: undefined, isPostgresAway: true }, "aloud"],
  ["what fails because Postgres is away quietly", { isPostgresAway: true }, "quietly"],
  ["the same quietly however long it lasts", { isPostgresAway: true, lastedMs: 10 * HELD_MS }, "quietly"],
  ["what may fail because of it, later", { lastedMs: HELD_MS - 1 }, "later"],
  ["a loop that fails on while the membership works, aloud", { lastedMs: HELD_MS }, "aloud"],
  ["a refusal at once", { error: refused }, "aloud"],
  ["a refusal at once, though Postgres is away for others", { error: refused, isPostgresAway: true }, "aloud"],
  ["late beats at once", { part: "heartbeat", error: undefined }, "aloud"],
  ["late beats quietly while Postgres is away", { part: "heartbeat", isPostgresAway: true }, "quietly"],
  ["late beats later when it is just back", { part: "heartbeat", wasQuiet: true }, "later"],
  ["late beats aloud when it is back for long", { part: "heartbeat", wasQuiet: true, lastedMs: HELD_MS }, "aloud"],
])("a node tells of %s", (_what, told, expected) => {
  expect(tellingOf({ ...loop, ...told })).toBe(expected);
});
