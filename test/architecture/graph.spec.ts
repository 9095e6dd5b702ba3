import { describe, expect, test } from "@jest/globals";
import { drawGraph, readArchitecture, shownGraph, withGraph } from "./import-graph.mjs";

describe("the import graph", () => {
  test("the import graph in ARCHITECTURE.md is what the sources import (npm run graph redraws it)", () => {
    expect(shownGraph(readArchitecture())).toBe(drawGraph());
  });

  test("the import graph is put between its markers and leaves the rest alone", () => {
    const before = withGraph("# Title\n\nText.\n", "flowchart LR\na-->b");
    const after = withGraph(before.replace("Text.", "Other text."), "flowchart LR\nb-->c");
    expect(shownGraph(after)).toBe("flowchart LR\nb-->c");
    expect(after).toBe(before.replace("Text.", "Other text.").replace("a-->b", "b-->c"));
  });
});
