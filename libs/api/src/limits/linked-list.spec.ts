import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { LinkedList, type ListEntry } from "./linked-list.js";

describe("a linked list", () => {
  test("a linked list holds what a list of values holds, whatever is added and removed", () => {
    const steps = fc.array(fc.oneof(fc.constant("add" as const), fc.nat({ max: 20 })), { maxLength: 100 });
    fc.assert(
      fc.property(steps, fc.nat({ max: 50 }), (given, most) => {
        const list = new LinkedList<number>();
        const entries: ListEntry<number>[] = [];
        let model: number[] = [];
        for (const step of given) {
          const entry = step === "add" ? undefined : entries[step];
          if (step === "add") {
            model.push(entries.length);
            entries.push(list.add(entries.length));
          } else if (entry) {
            expect(list.remove(entry)).toBe(model.includes(entry.value));
            model = model.filter((value) => value !== entry.value);
          }
          expect([list.isEmpty, list.oldest]).toEqual([model.length === 0, model[0]]);
        }
        expect([...list.takeWhile((value) => value < most)]).toEqual(model.filter((value) => value < most));
        expect([...list.takeWhile(() => true)]).toEqual(model.filter((value) => value >= most));
        expect(list.isEmpty).toBe(true);
      }),
    );
  });

  test("an entry removed from a linked list holds on to none of its neighbours", () => {
    const list = new LinkedList<string>();
    const [, middle] = ["a", "b", "c"].map((value) => list.add(value));
    list.remove(middle!);
    expect(middle).toEqual({ value: "b", previous: null, next: null, isIn: false });
  });
});
