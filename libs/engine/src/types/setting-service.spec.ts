import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ClusterMessage, Revision, SettingChange, SettingReply, SettingStore } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { type SettingAnswer, SettingService } from "./setting-service.js";

const REVISION: Revision = { timeline: 1, number: 5 };
const CHANGE: SettingChange = { actor: "key:1", kind: "type", typeId: 1, values: { concurrency: 5 } };

let clock: ManualClock;
let reply: SettingReply;
/** What each question is answered, the last one for ever. */
let behind: readonly (readonly string[] | null | Error)[];
let asked: number[];
let sent: ClusterMessage[];
let telemetry: RecordingTelemetry;

beforeEach(() => {
  clock = new ManualClock();
  telemetry = new RecordingTelemetry();
  reply = { outcome: "changed", revision: REVISION };
  behind = [[]];
  asked = [];
  sent = [];
});

function change(): Promise<SettingAnswer> {
  const store: Pick<SettingStore, "changeSettings" | "nodesBehind"> = {
    changeSettings: () => Promise.resolve(reply),
    nodesBehind: () => {
      const answer = behind[Math.min(asked.push(clock.monotonicMs()), behind.length) - 1]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer && [...answer]);
    },
  };
  const service = new SettingService({
    ...{ clock, telemetry, store: store as SettingStore, answerMs: 10_000, reader: { hinted: () => undefined } },
    coordination: { send: (_to, message) => Promise.resolve(sent.push(message) > 0) },
  });
  return service.change(CHANGE);
}

describe("a change", () => {
  test("is answered when every node obeys, and told to all", async () => {
    behind = [["a", "b"], ["b"], []];
    const answer = change();
    await clock.advance(200);
    expect(await answer).toEqual({ revision: REVISION, waitingFor: [] });
    expect([asked.length, sent]).toEqual([3, [{ kind: "settings" }]]);
  });

  test("is answered after ten seconds with the nodes that do not obey, and stays", async () => {
    behind = [["10.0.0.1:1"]];
    const answer = change();
    await clock.advance(10_500);
    expect(await answer).toEqual({ revision: REVISION, waitingFor: ["10.0.0.1:1"] });
    expect(asked.length).toBeLessThan(60);
    expect(telemetry.events.map(({ name }) => name)).toContain("settings.not_obeyed");
  });

  test("that was there already is waited for, and told to nobody", async () => {
    reply = { outcome: "unchanged", revision: REVISION };
    expect(await change()).toEqual({ revision: REVISION, waitingFor: [] });
    expect(sent).toEqual([]);
  });

  test("is not said to have failed where the store goes away behind its commit", async () => {
    behind = [new Error("away")];
    expect(await change()).toEqual({ revision: REVISION, waitingFor: null });
  });

  test("that a fail-over has lost is said to have failed", async () => {
    behind = [null];
    await expect(change()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  test("of a type that nobody has made, or of a key too many, is refused", async () => {
    reply = { outcome: "no_type" };
    await expect(change()).rejects.toMatchObject({ code: "TYPE_NOT_FOUND" });
    reply = { outcome: "too_many_keys" };
    await expect(change()).rejects.toMatchObject({ code: "VALIDATION_FAILED", faults: [{ path: "key" }] });
    expect(asked).toEqual([]);
  });
});
