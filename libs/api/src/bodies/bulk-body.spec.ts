import { describe, expect, test } from "@jest/globals";
import { JsonSource, type JsonText, SystemClock, Turns } from "@tickwheel/core";
import fc from "fast-check";
import { parseBulk } from "./bulk-body.js";

const MEBIBYTE = 1024 * 1024;
const clock = new SystemClock();
const rules = {
  shape: { fields: (name: string) => (name === "payload" ? ("text" as const) : undefined) },
  limits: { bytes: MEBIBYTE, values: 1_000 },
  maxItems: 3,
};
const read = (text: string) => parseBulk(text, rules, new Turns(clock));
const refusal = async (text: string): Promise<string> =>
  read(text).then(
    () => "taken",
    (error: Error) => error.message,
  );

/** As `JSON.parse` has it; null where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

async function readPlainly(text: string): Promise<unknown> {
  try {
    const shape = { fields: () => undefined };
    return { value: await parseBulk(text, { ...rules, shape, maxItems: 1e6 }, new Turns(clock)) };
  } catch {
    return null;
  }
}

describe("the body of a bulk call", () => {
  test("the body of a bulk call keeps payloads as text in other fields, too, where the call has tasks there", async () => {
    const others = { onComplete: rules.shape };
    const text = '{"onComplete":{"payload":1.0},"more":{"payload":1.0},"toString":{"payload":1.0},"tasks":[]}';
    const body = (await parseBulk(text, { ...rules, others }, new Turns(clock))) as Record<
      string,
      { payload: unknown }
    >;
    expect(body["onComplete"]!.payload).toEqual(new JsonSource("1.0" as JsonText));
    expect([body["more"], body["toString"], body["tasks"]]).toEqual([{ payload: 1 }, { payload: 1 }, []]);
  });

  test("the body of a bulk call keeps payloads as text, and the other fields", async () => {
    const body = (await read('\ufeff {"tasks": [ {"type":"a","payload": 1.0 } , 7] ,"more":{"a":1}}')) as {
      tasks: { payload: unknown }[];
    };
    expect(body.tasks[0]!.payload).toBeInstanceOf(JsonSource);
    expect((body.tasks[0]!.payload as JsonSource).text).toBe("1.0");
    expect({ ...body, tasks: body.tasks.slice(1) }).toEqual({ tasks: [7], more: { a: 1 } });
    expect(await read("")).toBeUndefined();
  });

  test("the body of a bulk call takes the texts that JSON.parse takes, however they are broken, and as it does", async () => {
    const item = fc.oneof(fc.json(), fc.constantFrom("", "{", "}", '"', "nul", "1 2", "\u0001", "[1,]"));
    const around = fc.constantFrom("", " ", "\n\t", "\u000b", ",", "]", "x");
    const body = fc
      .tuple(around, fc.array(fc.tuple(around, item)), around, fc.constantFrom("}", "", '],"a":1}', ',"tasks":[2]}'))
      .map(
        ([before, items, after, end]) =>
          `${before}{"tasks":[${items.map(([space, text]) => space + text).join(",")}]${after}${end}`,
      );
    const anything = fc.oneof(body, body, fc.json(), fc.string());
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        if (text !== "") expect(await readPlainly(text)).toEqual(parsed(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("a bulk body ends at the first item that is too long, too deep or has too many parts, and at the first beyond the most", async () => {
    const bulk = (...items: string[]): string => `{"tasks":[${items.join(",")}]}`;
    expect(await refusal(bulk("1", `"${"x".repeat(MEBIBYTE)}"`, "2"))).toBe(
      "tasks[1] is longer than 1048576 characters.",
    );
    expect(await refusal(bulk("[".repeat(101)))).toContain("deeper than 100 levels");
    expect(await refusal(bulk(`[${"1,".repeat(1_001)}1]`))).toContain("more than 1000 values");
    expect(await refusal(`{"tasks":[1,2,3,4,${"{".repeat(9)}`)).toBe("tasks must be a list of at most 3 tasks");
    expect(await refusal(`${" ".repeat(10)}["${"x".repeat(MEBIBYTE)}"]`)).toBe("The body must be an object.");
    expect(await refusal("[".repeat(1_000))).toContain("deeper than 100 levels");
  });
});
