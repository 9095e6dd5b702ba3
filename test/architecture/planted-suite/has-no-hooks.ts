import { beforeAll, describe, expect, test } from "@jest/globals";

const runs: string[] = [];
beforeAll(() => void runs.push("once"));

describe.each(["one", "other"])("%s", (name) => {
  test("runs beside the hooks of its own file alone", () => {
    runs.push(name);
    expect(runs).toEqual(name === "one" ? ["once", "one"] : ["once", "one", "other"]);
  });
});
