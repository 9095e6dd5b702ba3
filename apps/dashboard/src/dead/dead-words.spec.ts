import { describe, expect, test } from "@jest/globals";
import {
  deadSentence,
  deathBars,
  deathsText,
  failingText,
  lineOfGroup,
  nameOfGroup,
  nodesText,
  retryingText,
  versionsText,
  whyDead,
} from "./dead-words.js";

describe("the words of dead letters", () => {
  test.each([
    [{ tasks: 0, causes: 0 }, "No task is dead."],
    [{ tasks: 1, causes: 1 }, "1 task has 1 cause."],
    [{ tasks: 1_432, causes: 6 }, "1,432 tasks have 6 causes."],
  ])("the dead letters %j are told as %j", (counts, sentence) => {
    expect(deadSentence(counts)).toBe(sentence);
  });

  test("a group of dead letters has its title; the others are together, and an error may have no words", () => {
    expect(nameOfGroup({ fingerprint: "0123456789ab", title: "Error: boom" })).toBe("Error: boom");
    expect(nameOfGroup({ fingerprint: null, title: "" })).toBe("Other causes");
    expect(nameOfGroup({ fingerprint: "0123456789ab", title: "" })).toBe("An error without words");
    expect([whyDead("ATTEMPTS"), whyDead("NEW_ONE")]).toEqual(["attempts used up", "NEW_ONE"]);
  });

  test("seven days of deaths are bars of three hours, and a sentence for those who do not see them", () => {
    const hours = Array<number>(168).fill(0);
    hours[0] = 2;
    hours[166] = 3;
    hours[167] = 4;
    const bars = deathBars(hours);
    expect([bars.length, bars[0], bars.at(-1)]).toEqual([56, 2, 7]);
    expect(deathsText(hours)).toBe("9 deaths in 7 days, 7 of them in the last 24 hours");
  });

  test("the nodes of dead letters tell whether it is a single node, and of how many tasks", () => {
    const nodes = [
      { node: "a", count: 3 },
      { node: null, count: 1 },
    ];
    expect(nodesText({ nodes, lookedAt: 4, count: 4 })).toBe("a 3, forgotten 1: it is not one node");
    expect(nodesText({ nodes: nodes.slice(0, 1), lookedAt: 3, count: 9 })).toBe("a 3: only there; of the newest 3");
    expect(nodesText({ nodes: [], lookedAt: 0, count: 1 })).toBe("none is remembered");
    expect(versionsText({ versions: [{ version: null, count: 2 }] })).toBe("forgotten 2");
  });

  test.each([
    [0, false, "no other task waits after it"],
    [0, true, "none of those due first"],
    [1_284, false, "1,284 more wait for a further attempt"],
    [12, true, "at least 12 more wait for a further attempt"],
  ])("the words of %d tasks that wait to retry, at least as many: %j", (count, isAtLeast, text) => {
    expect(retryingText({ retrying: { count, isAtLeast } })).toBe(text);
  });

  test("a retry of dead letters is warned of where the type still fails", () => {
    expect([failingText(null), failingText(0.1)]).toEqual([null, null]);
    expect(failingText(0.63)).toMatch(/^63 % of the attempts/);
  });

  test("the tasks of a group of dead letters are the line of a list", () => {
    expect(lineOfGroup({ type: "mail.send", fingerprint: "0123456789ab" })).toBe("type:mail.send print:0123456789ab");
  });
});
