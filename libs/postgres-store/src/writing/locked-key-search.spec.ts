import { describe, expect, test } from "@jest/globals";
import { LockedKeySearch, MAX_FOUND } from "./locked-key-search.js";

const NAMES = Array.from({ length: 10_000 }, (_, index) => `name-${index}`);

function search(names: readonly string[], isHeld: (name: string) => boolean) {
  const found = new LockedKeySearch(names);
  let probes = 0;
  let rows = 0;
  for (let some = found.next(); some; some = found.next()) {
    probes++;
    rows += some.length;
    found.tell(some.some(isHeld));
  }
  return { held: found.held, probes, rows };
}

describe("a search for locked names", () => {
  test.each([0, 1, 4_999, 5_000, 9_999])(
    "a search for locked names finds the one locked name of ten thousand, number %s, with a few probes",
    (place) => {
      const { held, probes, rows } = search(NAMES, (name) => name === NAMES[place]);
      expect(held).toEqual([NAMES[place]]);
      expect(probes).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(NAMES.length)));
      expect(rows).toBeLessThanOrEqual(2 * NAMES.length + probes);
    },
  );

  test("a search for locked names finds several locked names, each once", () => {
    const wanted = new Set([NAMES[3], NAMES[4], NAMES[7_000]]);
    expect(new Set(search(NAMES, (name) => wanted.has(name)).held)).toEqual(wanted);
  });

  test("a search for locked names ends when it has found the most names that a write waits for", () => {
    const { held, probes } = search(NAMES, () => true);
    expect(held).toEqual(NAMES.slice(0, MAX_FOUND));
    expect(probes).toBeLessThan(100);
  });

  test("a search for locked names ends with a name to wait for even if nothing is locked any more", () => {
    expect(search(NAMES, () => false).held).toHaveLength(1);
  });

  test("a search for locked names needs no probe for a single name", () => {
    expect(search(["only"], () => true)).toEqual({ held: ["only"], probes: 0, rows: 0 });
  });
});
