import type { DurationInput } from "@tickwheel/nestjs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ManualShop } from "../../test-support/manual-shop.js";
import type { DeviceCommand } from "./device-command.task.js";
import { DeviceLink } from "./device-link.js";
import { DevicesModule } from "./devices.module.js";
import { DevicesService } from "./devices.service.js";

const MINUTE_MS = 60_000;

/** Devices that obey, or are away. */
class RecordedDevices extends DeviceLink {
  readonly obeyed: string[] = [];
  tries = 0;
  areAway = false;

  override async send({ command }: DeviceCommand): Promise<void> {
    this.tries++;
    if (this.areAway) throw new Error("no answer");
    this.obeyed.push(command);
  }
}

describe("a device", () => {
  let devices: RecordedDevices;
  let shop: ManualShop;

  beforeEach(async () => {
    devices = new RecordedDevices();
    shop = await ManualShop.open({ modules: [DevicesModule], replaced: new Map([[DeviceLink, devices]]) });
  });
  afterEach(() => shop.close());

  const command = (text: string, delay: DurationInput = "20m") =>
    shop.get(DevicesService).command({ deviceId: "heater-1", command: text }, delay);
  const later = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms);

  test("a device obeys 20 minutes after the command, and not a millisecond earlier", async () => {
    const askedAt = shop.now;
    const { dueAt } = await command("heater.off");
    expect(dueAt).toEqual(later(askedAt, 20 * MINUTE_MS));
    await shop.goJustBefore(dueAt);
    expect(devices.obeyed).toEqual([]);
    await shop.goPast(dueAt);
    expect(devices.obeyed).toEqual(["heater.off"]);
  });

  test("a device obeys the newest command alone: a command that was replaced never runs", async () => {
    const older = await command("heater.off");
    await shop.pass(10 * MINUTE_MS);
    const newer = await command("heater.warm");
    await shop.goPast(older.dueAt);
    expect(devices.obeyed).toEqual([]);
    await shop.goJustBefore(newer.dueAt);
    expect(devices.obeyed).toEqual([]);
    await shop.goPast(newer.dueAt);
    expect(devices.obeyed).toEqual(["heater.warm"]);
    expect(await shop.task(older.id)).toMatchObject({ state: "cancelled", attempt: 0 });
  });

  test("a device is not told a command that nobody could send within five minutes: the command expires", async () => {
    const { id, dueAt } = await command("heater.off");
    await shop.passWithoutNode(later(dueAt, 5 * MINUTE_MS + 1));
    await shop.pass(MINUTE_MS);
    expect(await shop.task(id)).toMatchObject({ state: "expired", attempt: 0 });
    expect(devices.tries).toBe(0);
  });

  test("a device is still told a command that somebody could send within five minutes", async () => {
    const { id, dueAt } = await command("heater.off");
    await shop.passWithoutNode(later(dueAt, 4 * MINUTE_MS));
    await shop.pass(MINUTE_MS / 2);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", attempt: 1 });
  });

  test("a device that does not answer is asked each 30 seconds for five minutes, and then no more", async () => {
    devices.areAway = true;
    const { id, dueAt } = await command("heater.off");
    await shop.goPast(dueAt);
    for (let tries = 1; tries <= 10; tries++) {
      const retry = await shop.task(id);
      expect(retry.dueAt).toEqual(later(await shop.touchedAt(id), MINUTE_MS / 2));
      await shop.goJustBefore(retry.dueAt);
      expect(devices.tries).toBe(tries);
      await shop.goPast(retry.dueAt);
      expect(devices.tries).toBe(tries + 1);
    }
    expect(await shop.task(id)).toMatchObject({ state: "dead", reason: "ATTEMPTS", attempt: 11 });
  });
});
