import { expect, test } from "@jest/globals";
import type { UnseenDead, UnseenDeadGroup } from "../reports/unseen-dead.js";
import { deadCauses } from "./dead-rules.js";
import type { FindingScene } from "./finding-scene.js";
import { sentencesOf } from "./sentences.js";

const AT = Date.UTC(2026, 10, 26);

function group(changes: Partial<UnseenDeadGroup> = {}): UnseenDeadGroup {
  return { typeId: 3, type: "mail", print: 255, title: "Error: full", count: 2, lastAt: AT, seenAt: null, ...changes };
}

function causesOf(...unseenDead: UnseenDead[]) {
  return deadCauses({ unseenDead } as unknown as FindingScene);
}

test("each cause of dead tasks is told for itself, to its namespace, with when somebody looked last", () => {
  const groups = [group(), group({ print: 16, title: "", count: 1, seenAt: AT - 1_000 })];
  const causes = causesOf({ namespace: "shop", count: 2, isAtLeast: false, groups });
  expect(causes).toMatchObject([
    {
      code: "DEAD_TASKS",
      subject: "3 0000000000ff",
      namespace: "shop",
      severity: "warning",
      facts: { type: "mail", fingerprint: "0000000000ff", dead: 2, lastDiedAt: "2026-11-26T00:00:00.000Z" },
    },
    { subject: "3 000000000010" },
  ]);
  expect(sentencesOf(causes[1]!)).toMatchObject({
    title: "1 dead task of mail",
    consequence: expect.stringContaining("Nobody has looked at this cause since 2026-11-25T23:59:59.000Z."),
  });
});

test.each([
  { count: 2, isAtLeast: false, title: "1 more cause of dead tasks" },
  { count: 31, isAtLeast: false, title: "30 more causes of dead tasks" },
  { count: 101, isAtLeast: true, title: "At least 100 more causes of dead tasks" },
])("the causes of dead tasks that are not told are counted in one finding: $count", ({ title, ...counted }) => {
  const [, others, ...none] = causesOf({ namespace: "shop", ...counted, groups: [group()] });
  expect(none).toEqual([]);
  expect(others).toMatchObject({ code: "DEAD_TASKS", subject: "shop", namespace: "shop" });
  expect(sentencesOf(others!)).toMatchObject({ title });
});
