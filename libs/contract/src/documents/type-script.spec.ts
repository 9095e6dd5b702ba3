import { expect, test } from "@jest/globals";
import * as z from "zod";
import { integerRule, maxRule, minRule, textRule } from "../input/input-rules.js";
import { field, inputObject } from "../input/input-schema.js";
import { inputFields, said } from "../input/input-shape.js";
import { inCode, instant, json, list, nullable, object, optional, string, words } from "../shapes/parts.js";
import { typeScriptOf } from "./type-script.js";

test("an answer becomes an interface: its fields with their texts, differences in code as the field's note says", () => {
  const source = typeScriptOf({
    imports: { Json: "@tickwheel/core", Unneeded: "nowhere" },
    names: { Part: "PartView<Instant>" },
    types: [
      {
        name: "Shown",
        generics: ["Payload", "Instant"],
        text: "What is shown.",
        form: {
          id: string(),
          at: nullable(instant("When; null: never.")),
          payload: inCode(json("Any JSON."), { type: "Payload", text: "A value." }),
          result: json("What came of it."),
          state: words(["on", "off"], null, { on: "It runs." }),
          parts: list(object("Part", { at: instant() })),
          more: optional(object("More", { note: string() })),
        },
      },
    ],
  });
  expect(source).toBe(`// Made by \`npm run generate\`.
import type { Json } from "@tickwheel/core";

/** What is shown. */
export interface Shown<Payload, Instant> {
  id: string;
  /** When; null: never. */
  at: Instant | null;
  /** A value. */
  payload: Payload;
  /** What came of it. */
  result: Json;
  /** \`on\`: It runs. */
  state: "on" | "off";
  parts: readonly PartView<Instant>[];
  more?: {
    note: string;
  };
}
`);
});

test("an option in TypeScript tells its bounds and its default, and takes null only where its rule does", () => {
  const input = inputObject({
    count: said(field<number>(integerRule, minRule(1), maxRule(1_000)).nullish(), "How many.", { default: 5 }),
    key: said(field<string>(textRule(1, 256)).optional(), "Its key."),
    name: said(field<string>(textRule(1, 10)), "Its name. Default: that of the day."),
    tags: said(z.unknown().nullish(), "What it belongs to.", {
      shape: () => list(string(), { maxItems: 16, uniqueItems: true }),
      example: ["a"],
    }),
    url: said(field<string>(textRule(1, 20)), "Where it goes."),
  });
  const source = typeScriptOf({
    imports: {},
    types: [{ name: "Given", text: "What is given.", form: inputFields(input), usual: "Default: none." }],
  });
  expect(source).toBe(`// Made by \`npm run generate\`.

/** What is given. */
export interface Given {
  /** How many. 1 to 1,000. Default: 5. */
  count?: number | null | undefined;
  /** Its key. 1 to 256 characters. Default: none. */
  key?: string | undefined;
  /** Its name. 1 to 10 characters. Default: that of the day. */
  name: string;
  /** What it belongs to. At most 16, each once. Such as \`["a"]\`. Default: none. */
  tags?: readonly string[] | null | undefined;
  /** Where it goes. 1 to 20 characters. No default. */
  url: string;
}
`);
});
