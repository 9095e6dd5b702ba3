import { expect, test } from "@jest/globals";
import { listed, ofEach, parameters, plain, rows, typed } from "./parameters.js";

interface Request {
  limit: number;
  tags: readonly string[];
  ends: readonly { id: string; end: { isLate: boolean } }[];
}

const [p, values] = parameters<Request>()({
  limit: ({ limit }) => limit,
  ends: rows(({ ends }: Request) => ends, {
    id: plain("uuid", ({ id }) => id),
    ...ofEach(({ end }: Request["ends"][number]) => end, { late: listed("boolean", ({ isLate }) => isLate) }),
  }),
  tags: typed("text[]", ({ tags }) => tags),
});

test("a statement's parameters have the places of their declaration", () => {
  expect(p).toEqual({
    limit: "$1",
    ends: { arrays: ["$2::uuid[]", "$3::boolean[]"], names: "id, late" },
    tags: "$4::text[]",
  });
});

test("the values of a statement come in the order of its parameters, and a list is one value", () => {
  const ends = [
    { id: "a", end: { isLate: true } },
    { id: "b", end: { isLate: false } },
  ];
  expect(values({ limit: 3, tags: ["x", "y"], ends })).toEqual([3, "{a,b}", [true, false], ["x", "y"]]);
});
