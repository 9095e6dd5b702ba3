import "reflect-metadata";
import { beforeAll, expect, test } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import type { OpenAPIObject } from "@nestjs/swagger";
import { openApiDocument } from "./openapi-document.js";

/** Beside the recommended rules of the linter. */
const MORE_RULES = {
  "info-contact": "error",
  "operation-description": "error",
  "operation-operationId-unique": "error",
  "operation-tag-defined": "error",
  "parameter-description": "error",
  "no-unused-components": "error",
} as const;

let document: OpenAPIObject;
beforeAll(async () => {
  document = await openApiDocument();
});

/** The health checks have nothing to refuse: they need no key, no parameter and no body. */
const isOfHealth = ({ ruleId, pointers }: { ruleId: string; pointers: string[] }): boolean =>
  ruleId === "operation-4xx-response" && pointers.every((pointer) => pointer.startsWith("#/paths/~1health~1"));

test("a linter finds neither error nor warning in the document", async () => {
  const config = await createConfig({ extends: ["recommended"], rules: MORE_RULES });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  const findings = problems.map(({ ruleId, message, location }) => ({
    ruleId,
    message,
    pointers: location.map(({ pointer }) => pointer ?? ""),
  }));
  expect(findings.filter((finding) => !isOfHealth(finding))).toEqual([]);
});

test("the linter finds what is wrong", async () => {
  const config = await createConfig({ extends: ["recommended"], rules: MORE_RULES });
  const source = JSON.stringify({ ...document, info: { title: "Tickwheel", version: "1" }, tags: [] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  expect(new Set(problems.map(({ ruleId }) => ruleId))).toEqual(
    new Set(["info-contact", "info-license", "operation-4xx-response", "operation-tag-defined"]),
  );
});

test("health needs no key, and all else one", () => {
  const operations = Object.entries(document.paths).flatMap(([path, calls]) =>
    Object.values(calls as Record<string, { security: unknown[] }>).map(({ security }) => ({ path, security })),
  );
  expect(operations.length).toBeGreaterThan(10);
  for (const { path, security } of operations)
    expect({ path, security }).toEqual({ path, security: path.startsWith("/health/") ? [] : [{ bearer: [] }] });
});
