import { describe, expect, test } from "@jest/globals";
import type { StoreSettings, UnsafeSetting } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { UnsafeSettings } from "./unsafe-settings.js";

const SAFE: StoreSettings = {
  fsync: "on",
  fullPageWrites: "on",
  synchronousCommit: "on",
  synchronousStandbyNames: "",
  standbys: 0,
};
const EVICTING: UnsafeSetting = { server: "redis", name: "maxmemory-policy", value: "allkeys-lru" };

function scene() {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  /** What the servers answer; an error of Postgres is thrown, and Redis is away while undefined. */
  const servers = {
    store: SAFE as StoreSettings | Error,
    redis: null as UnsafeSetting | null | undefined,
  };
  const settings = new UnsafeSettings(
    { clock, telemetry, health: new Health(clock, telemetry) },
    {
      figures: {
        storeSettings: async () => {
          if (servers.store instanceof Error) throw servers.store;
          return servers.store;
        },
      },
      coordination: { unsafeSetting: async () => servers.redis },
    },
  );
  const told = (): string[] =>
    telemetry.events.flatMap(({ name, facts }) =>
      name === "store.setting.unsafe" ? [`${String(facts?.["setting"])}=${String(facts?.["value"])}`] : [],
    );
  const known = (): string[] => settings.known.map(({ name }) => name);
  return { servers, settings, told, known };
}

describe("settings of the servers that take promises away", () => {
  test("an unsafe setting of a server is known while it lasts, and told once", async () => {
    const { servers, settings, told, known } = scene();
    await settings.runOnce();
    expect([known(), told()]).toEqual([[], []]);
    servers.store = { ...SAFE, synchronousCommit: "off" };
    servers.redis = EVICTING;
    await settings.runOnce();
    await settings.runOnce();
    expect(known()).toEqual(["synchronous_commit", "maxmemory-policy"]);
    expect(told()).toEqual(["synchronous_commit=off", "maxmemory-policy=allkeys-lru"]);
  });

  test("an unsafe setting of a server that was mended and comes back is told again", async () => {
    const { servers, settings, told, known } = scene();
    for (const fsync of ["off", "on", "off"]) {
      servers.store = { ...SAFE, fsync };
      await settings.runOnce();
    }
    expect(known()).toEqual(["fsync"]);
    expect(told()).toEqual(["fsync=off", "fsync=off"]);
  });

  test("a known unsafe setting stays known while its server does not answer", async () => {
    const { servers, settings, told, known } = scene();
    servers.store = { ...SAFE, standbys: 1 };
    servers.redis = EVICTING;
    await settings.runOnce();
    servers.store = new Error("away");
    servers.redis = undefined;
    await settings.runOnce();
    expect(known()).toEqual(["synchronous_standby_names", "maxmemory-policy"]);
    expect(told()).toHaveLength(2);
  });

  test("no unsafe setting is known where no server could be asked", async () => {
    const { servers, settings, told, known } = scene();
    servers.store = new Error("away");
    servers.redis = undefined;
    await settings.runOnce();
    expect([known(), told()]).toEqual([[], []]);
  });
});
