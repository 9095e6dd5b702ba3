import { describe, expect, test } from "@jest/globals";
import { newTaskId, slotOfId } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { TaskIdTable } from "./task-id-table.js";

const random = new SeededRandom(11);
const NOW = 1_767_225_600_000;

function newId(slot = 7): string {
  return newTaskId(NOW, slot, random);
}

function add(table: TaskIdTable, id: string, row: number): void {
  if (table.find(id) >= 0) throw new Error(`${id} is known`);
  table.addSought(row);
}

describe("TaskIdTable", () => {
  test("TaskIdTable finds the row of an id, in letters of either case, and gives back the id of a row", () => {
    const table = new TaskIdTable(3);
    const id = "0198c4d2-9abc-7def-8012-3456789abcde";
    add(table, id, 2);
    expect([table.find(id), table.find(id.toUpperCase()), table.find(newId())]).toEqual([2, 2, -1]);
    expect(table.idOf(2)).toBe(id);
  });

  test("TaskIdTable knows the slot in an id", () => {
    const table = new TaskIdTable(2);
    for (const [row, slot] of [0, 4_095].entries()) {
      const id = newId(slot);
      add(table, id, row);
      expect(table.slotOf(row)).toBe(slotOfId(id));
    }
  });

  test("ids that share a cell of TaskIdTable are distinguished, whichever digit differs", () => {
    const id = "00000000-0000-7000-8000-000000000000";
    const table = new TaskIdTable(1);
    add(table, id, 0);
    const places = Array.from(id, (_, at) => at).filter((at) => id[at] !== "-");
    const others = places.flatMap((at) =>
      ["1", "6", "b", "e"].map((digit) => id.slice(0, at) + digit + id.slice(at + 1)),
    );
    expect(others.filter((other) => table.find(other) >= 0)).toEqual([]);
  });

  test("ids that differ in one digit only are different in TaskIdTable, wherever the digit is", () => {
    const id = "00000000-0000-7000-8000-000000000000";
    const others = [0, 7, 9, 12, 15, 17, 20, 22, 24, 35].map((at) => `${id.slice(0, at)}f${id.slice(at + 1)}`);
    const table = new TaskIdTable(others.length + 1);
    for (const [row, each] of [id, ...others].entries()) add(table, each, row);
    expect([id, ...others].map((each) => table.find(each))).toEqual([id, ...others].map((_, row) => row));
  });

  test("TaskIdTable does what a Map does, however often it fills up and empties", () => {
    const rows = 500;
    const table = new TaskIdTable(rows);
    const known = new Map<string, number>();
    const free = Array.from({ length: rows }, (_, row) => row);
    for (let step = 0; step < 30_000; step++) {
      const fills = Math.floor(step / 1_000) % 2 === 0;
      if (random.next() < (fills ? 0.8 : 0.2) && free.length > 0) {
        const id = newId();
        const row = free.pop()!;
        add(table, id, row);
        known.set(id, row);
      } else if (known.size > 0) {
        const ids = [...known.keys()];
        const id = ids[Math.floor(random.next() * ids.length)]!;
        table.remove(table.find(id));
        free.push(known.get(id)!);
        known.delete(id);
      }
      if (step % 100 > 0) continue;
      const wrong = [...known].filter(([id, row]) => table.find(id) !== row || table.idOf(row) !== id);
      expect(wrong).toEqual([]);
    }
  });
});
