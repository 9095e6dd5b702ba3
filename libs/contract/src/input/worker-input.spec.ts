import { describe, expect, test } from "@jest/globals";
import { checkInput } from "./input-check.js";
import { apiKeyInput } from "./key-input.js";

const pathsOf = (given: object): string[] => checkInput(apiKeyInput, given).faults.map(({ path }) => path);
const WORKER = { name: "resizer", role: "worker", types: ["image.*", "mail.send"] };

describe("the types of a worker", () => {
  test("the types of a worker are names of types, and beginnings that end with one *", () => {
    const types = ["a", "image.*", `${"x".repeat(128)}*`, "a:b_c-d.*"];
    expect(pathsOf({ ...WORKER, types })).toEqual([]);
    expect(pathsOf({ ...WORKER, types: Array.from({ length: 100 }, (_, at) => `t${at}`) })).toEqual([]);
  });

  test.each([
    [["a", ""], ["types[1]"]],
    [["*"], ["types[0]"]],
    [
      ["a**", "*a", "a*b"],
      ["types[0]", "types[1]", "types[2]"],
    ],
    [
      ["a b", "ä", "x".repeat(129), 7],
      ["types[0]", "types[1]", "types[2]", "types[3]"],
    ],
    [
      ["..", "."],
      ["types[0]", "types[1]"],
    ],
    [[], ["types"]],
    ["mail.send", ["types"]],
    [Array.from({ length: 101 }, (_, at) => `t${at}`), ["types"]],
  ])("the types of a worker are not %j", (types, paths) => {
    expect(pathsOf({ ...WORKER, types })).toEqual(paths);
  });
});

describe("a key", () => {
  test("a worker's key needs types, and has neither the right cluster nor payload: all is told at once", () => {
    expect(pathsOf({ name: "a", role: "worker" })).toEqual(["types"]);
    expect(pathsOf({ ...WORKER, cluster: false, rights: [] })).toEqual([]);
    expect(pathsOf({ ...WORKER, cluster: true, rights: ["payload"] })).toEqual(["cluster", "rights"]);
    expect(pathsOf({ name: "a b", role: "worker", cluster: true, hash: "x" })).toEqual([
      "hash",
      "name",
      "types",
      "cluster",
    ]);
  });

  test.each(["viewer", "operator", "admin"])("a key of the role %s has no types", (role) => {
    expect(pathsOf({ name: "a", role, types: null })).toEqual([]);
    expect(pathsOf({ name: "a", role, types: ["mail.send"] })).toEqual(["types"]);
  });
});
