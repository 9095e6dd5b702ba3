import { expect, test } from "@jest/globals";
import { toEventPage } from "./event-view.js";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const NODE = { bootId: "7", label: "10.0.0.7:1", name: null };

test("an event of the cluster shows its node, and an event about a silence the last beat", () => {
  const facts = { silentMs: 3_000, missedBeats: 3, seenBy: "10.0.0.1:1" };
  const page = toEventPage({
    events: [{ ...NODE, id: "9", at: AT, kind: "SUSPECT", facts }],
    next: { at: AT, id: "9" },
  });
  const at = "2026-01-02T03:04:05.000Z";
  const shown = { id: "9", at, kind: "SUSPECT", node: NODE, lastBeatAt: "2026-01-02T03:04:02.000Z", facts };
  expect(page).toEqual({ items: [shown], nextCursor: `${AT}-9` });
});

test("an event about several nodes names none of its own", () => {
  const facts = { nodes: ["7", "8"], tasks: 3, dead: 0 };
  const event = { bootId: null, label: null, name: null, id: "9", at: AT, kind: "REAPED" as const, facts };
  const { items, nextCursor } = toEventPage({ events: [event], next: null });
  expect([items[0]?.node, items[0]?.lastBeatAt, nextCursor]).toEqual([null, null, null]);
});
