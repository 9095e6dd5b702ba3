import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { SMTPServer } from "smtp-server";
import { ManualShop } from "../../test-support/manual-shop.js";
import { ReleasesModule } from "./releases.module.js";
import { ReleasesService } from "./releases.service.js";

const DAY_MS = 24 * 3_600_000;

describe("a reminder of a release", () => {
  let mailbox: string[];
  let refusals: number;
  let server: SMTPServer;
  let shop: ManualShop;

  beforeEach(async () => {
    [mailbox, refusals] = [[], 0];
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData(stream, _session, answer) {
        void text(stream).then((mail) => {
          mailbox.push(mail);
          answer(refusals-- > 0 ? new Error("try later") : null);
        });
      },
    });
    const listening = server.listen(0, "127.0.0.1");
    await once(listening, "listening");
    const { port } = listening.address() as AddressInfo;
    shop = await ManualShop.open({ modules: [ReleasesModule.forRoot(`smtp://127.0.0.1:${port}`)] });
  });
  afterEach(async () => {
    await shop.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const release = () => shop.get(ReleasesService).released({ version: "2.4.0", email: "ann@example.com" });

  test("a reminder of a release is sent a week after it, and not a millisecond earlier", async () => {
    const releasedAt = shop.now;
    const { id, dueAt } = await release();
    expect(dueAt.getTime() - releasedAt.getTime()).toBe(7 * DAY_MS);
    await shop.goJustBefore(dueAt);
    expect(mailbox).toEqual([]);
    await shop.goPast(dueAt);
    expect(mailbox).toEqual([expect.stringMatching(/^To: ann@example\.com\r\nSubject: How is 2\.4\.0\?\r$/m)]);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", attempt: 1 });
  });

  test("a reminder of a release that the server does not take is sent again under the same id", async () => {
    refusals = 1;
    const { id, dueAt } = await release();
    await shop.goPast(dueAt);
    await shop.goPast((await shop.task(id)).dueAt);
    const ids = mailbox.map((mail) => /^Message-ID: (.*)\r$/m.exec(mail)?.[1]);
    expect(ids).toEqual([`<${id}@shop.example.com>`, `<${id}@shop.example.com>`]);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", attempt: 2 });
  });

  test("a release has one reminder, however often the release is told", async () => {
    const first = await release();
    const second = await release();
    expect(second.id).toBe(first.id);
  });
});
