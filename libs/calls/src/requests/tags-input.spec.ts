import { describe, expect, test } from "@jest/globals";
import { bodyHash } from "./body-hash.js";
import { inputOfCall, lastingInput, toTaskRequest } from "./task-request.js";
import { askedTasksIn, checkInput, taskInput } from "@tickwheel/contract";

const numbered = (count: number, length = 2): string[] =>
  Array.from({ length: count }, (_, place) => String(place).padStart(length, "0"));
const faultsOf = (tags: unknown, path = ""): string[] =>
  checkInput(taskInput, { type: "t", tags }, path).faults.map((fault) => `${fault.path} ${fault.message}`);

describe("tags", () => {
  test.each([[[]], [["a"]], [["b", "a", "A", " a"]], [numbered(16)], [["x".repeat(64)]], [numbered(16, 64)], [["😀"]]])(
    "the tags %j are taken in their order",
    (tags) => {
      const { input, faults } = checkInput(taskInput, { type: "t", tags });
      expect(faults).toEqual([]);
      expect(toTaskRequest(input, "default", "tester").tags).toEqual(tags);
    },
  );

  test.each([null, undefined])("%p given as tags means no tags", (tags) => {
    const { input, faults } = checkInput(taskInput, { type: "t", tags });
    expect(faults).toEqual([]);
    expect(toTaskRequest(input, "default", "tester").tags).toBeUndefined();
  });

  test.each(["vip", 5, {}, { 0: "a", length: 1 }, true])("%j is no list of tags", (tags) => {
    expect(faultsOf(tags)).toEqual(["tags must be a list of strings"]);
  });

  test("seventeen tags are one too many, and so is a list of tags without end", () => {
    expect(faultsOf(numbered(17))).toEqual(["tags must hold at most 16 tags"]);
    const endless: unknown[] = [];
    endless.length = 4_294_967_295;
    expect(faultsOf(endless)).toEqual(["tags must hold at most 16 tags"]);
  });

  test("each wrong tag is a fault at its own place", () => {
    const tags = ["ok", "", "x".repeat(65), 5, null, "a\0", "\ud800", "fine", ["ok"]];
    expect(faultsOf(tags, "tasks[3]")).toEqual([
      "tasks[3].tags[1] must be a string of 1 to 64 characters",
      "tasks[3].tags[2] must be a string of 1 to 64 characters",
      "tasks[3].tags[3] must be a string of 1 to 64 characters",
      "tasks[3].tags[4] must be a string of 1 to 64 characters",
      "tasks[3].tags[5] must not contain NUL",
      "tasks[3].tags[6] must not contain a lone surrogate",
      "tasks[3].tags[8] must be a string of 1 to 64 characters",
    ]);
  });

  test("a tag that was given before is a fault each further time", () => {
    expect(faultsOf(["a", "b", "a", "a", "A"])).toEqual(
      ["tags[2]", "tags[3]"].map((path) => `${path} must not be the same as a tag before it`),
    );
  });

  test("a hole in the list of tags is no tag", () => {
    const tags = ["a"];
    tags[2] = "b";
    expect(faultsOf(tags)).toEqual(["tags[1] must be a string of 1 to 64 characters"]);
  });

  test("1,024 bytes of UTF-8 are taken in all tags together, and not one more", () => {
    const tags = ["ž".repeat(64), ...numbered(14, 64)];
    expect(faultsOf(tags)).toEqual([]);
    expect(faultsOf([...tags, "x"])).toEqual(["tags must be at most 1024 bytes of UTF-8, all tags together"]);
  });

  test("tags are read once, at the check: what their owner does afterwards changes nothing", () => {
    const tags = ["a"];
    const { input } = checkInput(taskInput, { type: "t", tags });
    tags[0] = "";
    expect(toTaskRequest(input, "default", "tester").tags).toEqual(["a"]);
  });

  test("tags of one of many tasks from code are read at the call", () => {
    const tags = ["a"];
    const lasting = lastingInput(inputOfCall({ tags }, "t", null));
    tags.push("b");
    expect(lasting.tags).toEqual(["a"]);
  });

  test("tags count for an idempotency key, their order too", () => {
    const hashes = [undefined, ["a"], ["a", "b"], ["b", "a"]].map((tags) => bodyHash({ type: "t", tags }));
    expect(new Set(hashes).size).toBe(4);
  });
});

test("a filter takes a tag, or up to eight of them", () => {
  const isTaken = (tag: unknown): boolean => {
    try {
      return askedTasksIn({ tag }).limit > 0;
    } catch {
      return false;
    }
  };
  const eight = Array.from({ length: 8 }, (_, index) => `${index}`);
  for (const tag of ["a", "x".repeat(64), undefined, ["a"], eight]) expect(isTaken(tag)).toBe(true);
  for (const tag of ["", "x".repeat(65), "a\0", "\ud800", 5, [], [...eight, "a"], null])
    expect(isTaken(tag)).toBe(false);
});
