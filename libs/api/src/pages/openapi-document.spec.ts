import { expect, test } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { openApiOf } from "@tickwheel/contract/documents";
import { GROUPS } from "@tickwheel/contract/operations";

/** Beside the recommended rules of the linter. */
const MORE_RULES = {
  "info-contact": "error",
  "operation-description": "error",
  "operation-operationId-unique": "error",
  "operation-tag-defined": "error",
  "parameter-description": "error",
  "no-unused-components": "error",
} as const;

const document = openApiOf(GROUPS);

/** The health checks have nothing to refuse: they need no key, no parameter and no body. */
const isOfHealth = ({ ruleId, pointers }: { ruleId: string; pointers: string[] }): boolean =>
  ruleId === "operation-4xx-response" && pointers.every((pointer) => pointer.startsWith("#/paths/~1health~1"));

test("a linter finds neither error nor warning in the OpenAPI document", async () => {
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

test("the linter finds what is wrong with an OpenAPI document", async () => {
  const config = await createConfig({ extends: ["recommended"], rules: MORE_RULES });
  const source = JSON.stringify({ ...document, info: { title: "Tickwheel", version: "1" }, tags: [] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  expect(new Set(problems.map(({ ruleId }) => ruleId))).toEqual(
    new Set(["info-contact", "info-license", "operation-4xx-response", "operation-tag-defined"]),
  );
});

type Security = { [name: string]: [] }[];
const KEY_OR_SESSION: Security = [{ bearer: [] }, { session: [] }];
/** Calls that see to themselves. */
const OF_SESSION: Record<string, Security> = { post: [], get: [{ session: [] }], delete: [{}, { session: [] }] };

const inOrder = (security: Security): Security =>
  security.toSorted((one, other) => Object.keys(one).join().localeCompare(Object.keys(other).join()));

/** No session of the page may make these. */
const OF_CONSUMERS = /^\/v1\/(queues\/|claims\/\{)/;

test("calls of health need no key, of the session their own security, of consumers a key, and all else a key or a session", () => {
  const operations = Object.entries(document["paths"] as object).flatMap(([path, calls]) =>
    Object.entries(calls as Record<string, { security: Security }>).map(([method, call]) => ({ path, method, call })),
  );
  expect(operations.length).toBeGreaterThan(10);
  for (const { path, method, call } of operations) {
    const ownOnes = path.startsWith("/health/") ? [] : OF_SESSION[method];
    const isOwn = path === "/v1/session" || path.startsWith("/health/");
    const wanted = isOwn ? ownOnes : OF_CONSUMERS.test(path) ? [{ bearer: [] }] : KEY_OR_SESSION;
    expect({ path, method, security: inOrder(call.security) }).toEqual({ path, method, security: wanted });
  }
});

test("every reference in the OpenAPI document leads to a schema", () => {
  const { schemas } = document["components"] as { schemas: object };
  const names = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
  expect(names.filter((name) => !(name in schemas))).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
});
