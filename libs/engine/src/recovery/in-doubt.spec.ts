import { expect, test } from "@jest/globals";
import type { RunningRow } from "@tickwheel/core";
import { inDoubt } from "./in-doubt.js";

const row = (id: string, fence: number): RunningRow => ({ id, fence, cancelRequested: false });

test("rows that were held at no time while the store was asked are in doubt, each by its fence", () => {
  const held = new Set(["a:1", "b:2"]);
  const watched = { held: ({ id, fence }: { id: string; fence: number }) => held.has(`${id}:${fence}`) };
  const rows = [row("a", 1), row("a", 2), row("b", 2), row("c", 1)];
  expect(inDoubt(rows, watched)).toEqual([row("a", 2), row("c", 1)]);
});
