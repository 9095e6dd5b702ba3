import { answer, instant, integer, list, nullable, number, string } from "./schema-parts.js";

const SHARE = {
  seconds: { ...list(integer), description: "Due in each of the next 60 seconds." },
  overdue: { ...integer, description: "At most 10,000 are counted, of all nodes together." },
  overdueAtLeast: { type: "boolean", description: "Counting ended there: each share may have more than `overdue`." },
  nextDueAt: nullable(instant),
};

/** Of the minute to come, with each node's share. */
export const CLUSTER_WHEEL = answer({
  countedAt: instant,
  view: { ...integer, description: "Of whose nodes the shares are; 0: there is no view yet." },
  incomplete: {
    type: "boolean",
    description:
      "There are more than 500,000 tasks in this minute, or more than 32 sets of nodes that run types: the figures are the least there is.",
  },
  capacity: answer({ perSecond: nullable(number), measured: { type: "boolean" } }),
  all: answer(SHARE),
  fullest: {
    ...list(answer({ inS: integer, due: integer, types: list(answer({ type: string, due: integer })) })),
    description:
      "The fullest seconds, most first, ten at most, with the three types that have most. `inS`: 1 is the first.",
  },
  nodes: {
    ...list(
      answer({
        bootId: string,
        label: string,
        inMemory: {
          ...nullable(integer),
          description:
            "Entries in its wheel, as its newest beat told: tasks due within its horizon, and what is parked.",
        },
        ...SHARE,
      }),
    ),
    description: "The share of each node in the view, by ownership; 100 at most, those with most to come.",
  },
  otherNodes: { ...integer, description: "Nodes that are not told." },
  nobody: { ...answer(SHARE), description: "What no node owns: none in the view runs its type." },
});
