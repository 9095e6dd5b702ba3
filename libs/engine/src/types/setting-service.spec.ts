import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ClusterMessage, FlowLimit, Revision, SettingChange, SettingReply, SettingStore } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { type SettingAnswer, SettingService } from "./setting-service.js";

const REVISION: Revision = { timeline: 1, number: 5 };
const CHANGE: SettingChange = { actor: "key:1", kind: "type", typeId: 1, values: { concurrency: 5 } };

let clock: ManualClock;
let reply: SettingReply;
/** What each question is answered, the last one for ever. */
let behind: readonly (readonly string[] | null | Error)[];
let asked: number[];
let adopted: (readonly number[])[];
let isStoreAway: boolean;
let sent: ClusterMessage[];
let telemetry: RecordingTelemetry;

beforeEach(() => {
  clock = new ManualClock();
  telemetry = new RecordingTelemetry();
  reply = { outcome: "changed", revision: REVISION };
  behind = [[]];
  asked = [];
  adopted = [];
  isStoreAway = false;
  sent = [];
});

const limitOf = (id: number, typeId: number | null): FlowLimit => ({
  id,
  namespace: "shop",
  typeId,
  maxRunning: 5,
  rate: null,
  changedAt: 0,
  changedBy: "key:1",
});

function change(wanted: SettingChange = CHANGE): Promise<SettingAnswer> {
  const store: Pick<SettingStore, "changeSettings" | "nodesBehind" | "readSettings"> = {
    readSettings: async () => ({
      revision: REVISION,
      types: [],
      pauses: [],
      limits: [limitOf(7, 1), limitOf(8, null)],
    }),
    changeSettings: () => Promise.resolve(reply),
    nodesBehind: () => {
      const answer = behind[Math.min(asked.push(clock.monotonicMs()), behind.length) - 1]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer && [...answer]);
    },
  };
  const service = new SettingService({
    clock,
    telemetry,
    store: store as SettingStore,
    answerMs: 10_000,
    reader: { hinted: () => undefined },
    readNow: null,
    limits: {
      adoptRunning: async (limitIds) => {
        if (isStoreAway) throw new Error("away");
        adopted.push(limitIds);
      },
    },
    coordination: { send: (_to, message) => Promise.resolve(sent.push(message) > 0) },
  });
  return service.change(wanted);
}

describe("a change", () => {
  test("a change of the settings is answered when every node obeys, and told to all", async () => {
    behind = [["a", "b"], ["b"], []];
    const answer = change();
    await clock.advance(200);
    expect(await answer).toEqual({ revision: REVISION, waitingFor: [] });
    expect([asked.length, sent]).toEqual([3, [{ kind: "settings" }]]);
  });

  test("a change of the settings is answered after ten seconds with the nodes that do not obey, and stays", async () => {
    behind = [["10.0.0.1:1"]];
    const answer = change();
    await clock.advance(10_500);
    expect(await answer).toEqual({ revision: REVISION, waitingFor: ["10.0.0.1:1"] });
    expect(asked.length).toBeLessThan(60);
    expect(telemetry.events.map(({ name }) => name)).toContain("settings.not_obeyed");
  });

  test("a change of the settings that was there already is waited for, and told to nobody", async () => {
    reply = { outcome: "unchanged", revision: REVISION };
    expect(await change()).toEqual({ revision: REVISION, waitingFor: [] });
    expect(sent).toEqual([]);
  });

  test("a change of the settings is not said to have failed where the store goes away behind its commit", async () => {
    behind = [new Error("away")];
    expect(await change()).toEqual({ revision: REVISION, waitingFor: null });
  });

  test("a change of a limit counts what runs, once every node obeys", async () => {
    const actor = "key:1";
    behind = [["a"], []];
    const answer = change({ actor, kind: "type", typeId: 1, values: { maxRunning: 5 } });
    await clock.settle();
    expect(adopted).toEqual([]);
    await clock.advance(100);
    await answer;
    await change({ actor, kind: "namespace", namespace: "shop", values: { maxRunning: 5 } });
    await change({ actor, kind: "type", typeId: 1, values: { maxRunning: null } });
    await change();
    expect(adopted).toEqual([[7], [8]]);
  });

  test("a change of a limit is not said to be obeyed where what runs could not be counted", async () => {
    isStoreAway = true;
    const answer = await change({ actor: "key:1", kind: "type", typeId: 1, values: { maxRunning: 5 } });
    expect(answer.waitingFor).toBeNull();
  });

  test("a change of the settings that a fail-over has lost is said to have failed", async () => {
    behind = [null];
    await expect(change()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  test("a change of a type that nobody has made, or of a key or a limit too many, is refused", async () => {
    reply = { outcome: "no_type" };
    await expect(change()).rejects.toMatchObject({ code: "TYPE_NOT_FOUND" });
    reply = { outcome: "too_many_keys" };
    await expect(change()).rejects.toMatchObject({ code: "VALIDATION_FAILED", faults: [{ path: "key" }] });
    reply = { outcome: "too_many_limits" };
    const maxRunning = 5;
    const rate = { count: 1, perMs: 1_000, burst: 1 };
    const limit = { actor: "key:1", kind: "type", typeId: 1 } as const;
    const refusal = { code: "VALIDATION_FAILED", faults: [{ path: "maxRunning" }] };
    await expect(change({ ...limit, values: { maxRunning, rate } })).rejects.toMatchObject(refusal);
    await expect(change({ ...limit, values: { rate } })).rejects.toMatchObject({ faults: [{ path: "rate" }] });
    expect(asked).toEqual([]);
  });
});
