import { describe, expect, test } from "@jest/globals";
import { leavesEnough, mostLeavingEnough } from "./fair-share.js";

/** How many places each takes of so many, one after the other, until it may take no more. */
function takenInTurn(places: number, takers: number): number[] {
  let free = places;
  return Array.from({ length: takers }, () => {
    let taken = 0;
    for (; leavesEnough({ taken, free }); taken++) free--;
    return taken;
  });
}

describe("leavesEnough", () => {
  test("each taker that comes gets four fifths of the places that the others left, and the last taker the last place", () => {
    expect(takenInTurn(100, 5)).toEqual([80, 16, 3, 1, 0]);
  });

  test.each([1, 2, 3, 7, 10, 64, 1_000])(
    "leavesEnough lets one taker of %i places take four fifths, and one at least",
    (places) => {
      expect(takenInTurn(places, 1)).toEqual([Math.max(1, Math.floor(places * 0.8))]);
      expect(takenInTurn(places, 1)).toEqual([mostLeavingEnough(places)]);
    },
  );

  test("takers who take places in turns come to have the same", () => {
    const taken = [0, 0, 0];
    let free = 100;
    for (let isTaken = true; isTaken;) {
      isTaken = false;
      for (const [one, count] of taken.entries()) {
        if (!leavesEnough({ taken: count, free })) continue;
        taken[one]! += 1;
        free--;
        isTaken = true;
      }
    }
    expect([Math.max(...taken) - Math.min(...taken) <= 1, free <= 9]).toEqual([true, true]);
  });
});
