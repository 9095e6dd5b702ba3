import { readdirSync } from "node:fs";
import { expect, test } from "@jest/globals";

test("every prepared statement has a name of its own", async () => {
  const names: string[] = [];
  for (const file of readdirSync(import.meta.dirname, { encoding: "utf8", recursive: true }).filter((name) =>
    /(?<!\.spec)\.ts$/.test(name),
  )) {
    const module = (await import(`./${file}`)) as Record<string, unknown>;
    for (const value of Object.values(module)) {
      const { name, sql } = (value ?? {}) as { name?: unknown; sql?: unknown };
      if (typeof name === "string" && typeof sql === "function") names.push(name);
    }
  }
  expect(names.length).toBeGreaterThan(40);
  expect(new Set(names).size).toBe(names.length);
});
