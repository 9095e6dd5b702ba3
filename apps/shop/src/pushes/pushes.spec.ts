import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ManualShop } from "../../test-support/manual-shop.js";
import { PushGateway } from "./push-gateway.js";
import { PushesModule } from "./pushes.module.js";
import { PushesService } from "./pushes.service.js";
import type { Push } from "./send-push.task.js";

const HOUR_MS = 3_600_000;

/** Keeps what it is given. */
class RecordingGateway extends PushGateway {
  readonly sent: { text: string; idempotencyKey: string }[] = [];
  failures = 0;

  override async send({ text }: Push, idempotencyKey: string): Promise<void> {
    this.sent.push({ text, idempotencyKey });
    if (this.failures-- > 0) throw new Error("no answer");
  }
}

describe("a push message", () => {
  let gateway: RecordingGateway;
  let shop: ManualShop;
  let pushes: PushesService;

  beforeEach(async () => {
    gateway = new RecordingGateway();
    shop = await ManualShop.open({ modules: [PushesModule], replaced: new Map([[PushGateway, gateway]]) });
    pushes = shop.get(PushesService);
  });
  afterEach(() => shop.close());

  const inHours = (hours: number): Date => new Date(shop.now.getTime() + hours * HOUR_MS);
  const plan = (text: string, at: Date) => pushes.plan("p", { userId: "u", text }, at);
  const texts = (): string[] => gateway.sent.map(({ text }) => text);

  test("a push message is sent at its instant, and not a millisecond earlier", async () => {
    const at = inHours(20);
    await plan("hello", at);
    await shop.goJustBefore(at);
    expect(texts()).toEqual([]);
    await shop.goPast(at);
    expect(texts()).toEqual(["hello"]);
  });

  test("a push message that is moved is sent at the new instant alone, with the new text", async () => {
    const early = inHours(1);
    const late = inHours(2);
    const planned = await plan("old", early);
    const moved = await plan("new", late);
    expect(moved).toMatchObject({ id: planned.id, dueAt: late });
    await shop.goPast(early);
    await shop.goJustBefore(late);
    expect(texts()).toEqual([]);
    await shop.goPast(late);
    expect(texts()).toEqual(["new"]);
  });

  test("a push message that is moved to an earlier instant is sent then, and not again", async () => {
    const early = inHours(1);
    const late = inHours(2);
    await plan("late", late);
    await plan("early", early);
    await shop.goPast(early);
    await shop.goPast(late);
    expect(texts()).toEqual(["early"]);
  });

  test("a push message that is cancelled is never sent", async () => {
    const at = inHours(1);
    await plan("hello", at);
    expect([await pushes.cancel("p"), await pushes.cancel("p")]).toEqual([true, false]);
    await shop.goPast(at);
    expect(texts()).toEqual([]);
  });

  test("a push message that gets no answer is sent again with the same idempotency key", async () => {
    gateway.failures = 1;
    const { id } = await plan("hello", inHours(1));
    await shop.goPast(inHours(1));
    await shop.goPast((await shop.task(id)).dueAt);
    expect(gateway.sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id, id]);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", attempt: 2 });
  });
});
