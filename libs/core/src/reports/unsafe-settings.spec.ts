import { describe, expect, test } from "@jest/globals";
import { type StoreSettings, unsafeRedisSetting, unsafeStoreSettings } from "./unsafe-settings.js";

const SAFE: StoreSettings = {
  fsync: "on",
  fullPageWrites: "on",
  synchronousCommit: "on",
  synchronousStandbyNames: "",
  standbys: 0,
};

describe("the settings of a server", () => {
  test.each<[string, Partial<StoreSettings>, string[]]>([
    ["nothing, by default", {}, []],
    ["nothing, with a synchronous standby", { standbys: 2, synchronousStandbyNames: "ANY 1 (a, b)" }, []],
    ["nothing, with commits that wait for the standby to have applied", { synchronousCommit: "remote_apply" }, []],
    ["fsync", { fsync: "off" }, ["fsync"]],
    ["full_page_writes", { fullPageWrites: "off" }, ["full_page_writes"]],
    ["synchronous_commit", { synchronousCommit: "off" }, ["synchronous_commit"]],
    ["standbys of which none is synchronous", { standbys: 1 }, ["synchronous_standby_names"]],
    [
      "commits that do not wait for the synchronous standby",
      { standbys: 1, synchronousStandbyNames: "a", synchronousCommit: "local" },
      ["synchronous_commit"],
    ],
    ["nothing of local commits without standbys", { synchronousCommit: "local" }, []],
    [
      "all that is unsafe, at once",
      { fsync: "off", fullPageWrites: "off", synchronousCommit: "off", standbys: 1 },
      ["fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names"],
    ],
  ])("the unsafe settings of Postgres: %s", (_, changed, names) => {
    expect(unsafeStoreSettings({ ...SAFE, ...changed }).map(({ name }) => name)).toEqual(names);
  });

  test("the number of standbys is told with the unsafe settings of Postgres", () => {
    expect(unsafeStoreSettings({ ...SAFE, standbys: 3 })).toEqual([
      { server: "postgres", name: "synchronous_standby_names", value: "", standbys: 3 },
    ]);
  });

  test("Redis has no unsafe setting without a limit of memory, nor where it refuses writes", () => {
    expect(unsafeRedisSetting(0, "allkeys-lru")).toBeNull();
    expect(unsafeRedisSetting(1_000_000, "noeviction")).toBeNull();
    expect(unsafeRedisSetting(1_000_000, "volatile-ttl")).toEqual({
      server: "redis",
      name: "maxmemory-policy",
      value: "volatile-ttl",
    });
  });
});
