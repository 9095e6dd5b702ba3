import fc from "fast-check";
import { EXAMPLE_CALLS } from "./contract/example-calls.js";
import { jsonTexts } from "./json-texts.js";

/** A request as a hostile caller or a broken program sends it. */
export interface FuzzedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** The body is announced to be this much longer than it is, and the connection is ended after it. */
  missingBytes?: number;
}

/** What a fuzzer knows of the application that it attacks. */
export interface Target {
  /** Values of `authorization`; undefined: no header. */
  authorizations: readonly (string | undefined)[];
  /** Tasks that exist. */
  ids: readonly string[];
}

const awkward = fc.constantFrom(
  "",
  " ",
  "\0",
  "\ud800",
  "\udc00x",
  "__proto__",
  "constructor",
  "ž".repeat(300),
  "x".repeat(5_000),
  "-1",
  "0",
  "1e400",
  "NaN",
  "null",
  "undefined",
  "[object Object]",
  "../../etc/passwd",
  "%00",
  "' OR 1=1 --",
  "9999-12-31T23:59:59Z",
  "1969-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "P1000Y",
  "15m",
  "schedule:1",
  "😀",
);
const scalars: fc.Arbitrary<unknown> = fc.oneof(
  awkward,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, false, [], {}, [[]], 1e308, -0),
);
const values: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: scalars },
  { weight: 1, arbitrary: fc.object({ maxDepth: 3, maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 5 }) },
);

/** Fields by name: most of them valid, some with another value, some left out, some unknown. */
function mutated(good: Readonly<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(good).map(([name, value]) => [
      name,
      fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: values }),
    ]),
  );
  const known = fc.record(fields, { requiredKeys: [] });
  const unknown = fc.dictionary(fc.oneof(awkward, fc.string()), values, { maxKeys: 3 });
  return fc
    .tuple(known, fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown }))
    .map(([some, others]) => ({ ...others, ...some }));
}

const DELIVER = { kind: "webhook", url: "https://hooks.invalid/", headers: { "x-a": "b" } };
const TASK = {
  type: "fuzz",
  key: "k",
  onConflict: "return",
  payload: { a: 1 },
  delay: "1h",
  priority: 5,
  maxAttempts: 3,
  timeout: "10s",
  startDeadline: "1h",
  idempotencyKey: "i",
  tags: ["fuzz", "shop:7"],
  backoff: { kind: "fixed", delay: "1s" },
};
const REDUCERS = { n: "add", list: "append", most: "max", least: "min", whole: "replace" };
const reducers = mutated(REDUCERS);
const merged = mutated({ n: 0.1, list: [1, "x"], most: 7, least: -7, whole: { a: 1 } });
/** Merges into one task, most of them good ones. */
const merge = fc
  .tuple(mutated({ ...TASK, onConflict: "merge", maxWait: "2h" }), fc.oneof(reducers, values), fc.oneof(merged, values))
  .map(([fields, how, payload]) => ({ ...fields, key: "merge", idempotencyKey: undefined, merge: how, payload }));
const task = fc.oneof(mutated(TASK), merge, mutated({ type: "fuzz.hook", delay: "1h", deliver: DELIVER }));
const changes = mutated({ delay: "2h", payload: [1], priority: 1, maxAttempts: 2, scheduledAt: undefined });
const bulk = fc.oneof(
  fc.array(fc.oneof(task, values), { maxLength: 20 }).map((tasks) => ({ tasks })),
  fc.constant({ tasks: Array.from({ length: 10_001 }, () => ({})) }),
  mutated({ tasks: [] }),
);
const QUERIES = [
  "query ($id: ID!) { task(id: $id) { id payload result } }",
  "query ($filter: TaskFilter, $first: Int, $after: String) { tasks(filter: $filter, first: $first, after: $after) { nodes { id } } }",
  "mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome task { id payload } } }",
  "mutation ($inputs: [TaskInput!]!) { scheduleTasks(inputs: $inputs, idempotencyKey: $key) { status } }",
  "mutation ($id: ID!, $input: TaskChangesInput!) { rescheduleTask(id: $id, input: $input, expectedVersion: 1) { id } }",
  "{ __schema { types { name } } cluster { view } stats { overdue } }",
  `{ ${Array.from({ length: 30 }, (_, index) => `a${index}: tasks(first: 200) { nodes { id payload } }`).join(" ")} }`,
];
const query = fc.oneof(
  fc.constantFrom(...QUERIES),
  fc
    .tuple(fc.constantFrom(...QUERIES), fc.nat(), fc.string())
    .map(([text, at, junk]) => text.slice(0, at % text.length) + junk + text.slice(at % text.length)),
  fc.string(),
);
const graphql = fc
  .tuple(query, task, changes, fc.array(task, { maxLength: 3 }), values, mutated({ operationName: undefined }))
  .map(([text, input, filter, inputs, id, more]) => ({
    query: text,
    variables: { input, filter, inputs, id },
    ...more,
  }));

const json = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  value.map((given) => JSON.stringify(given) ?? "").map((text) => text.replaceAll("\\\\ud", "\\ud"));
/** First the bodies that the route expects, then others, then broken ones. */
const bodyOf = (expected: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> => {
  const good = json(expected);
  const large = fc
    .constantFrom("[", "{}", '{"a":', "[[],", '"\\u0000",', "1,")
    .chain((piece) =>
      fc.constantFrom(1_000, 100_000, 1_100_000).map((bytes) => `{"tasks":[${piece.repeat(bytes / piece.length)}`),
    );
  const text = fc.oneof(
    { weight: 30, arbitrary: good },
    { weight: 5, arbitrary: jsonTexts },
    { weight: 1, arbitrary: large },
  );
  const broken = fc.tuple(text, fc.nat(), fc.uint8Array({ maxLength: 4 })).map(([given, place, junk]) => {
    const bytes = Buffer.from(given);
    const at = place % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at + (place % 3))]);
  });
  return fc.oneof({ weight: 4, arbitrary: text.map((given) => Buffer.from(given)) }, { weight: 1, arbitrary: broken });
};

/** Values for a path or a query, encoded as a client does or not. */
const written = fc
  .oneof(awkward, fc.string(), fc.integer().map(String))
  .map((text) => encodeURIComponent(text.toWellFormed()));
/** The parameters of every list, and one of none. */
const PARAMETERS = [...new Set(EXAMPLE_CALLS.flatMap(({ row }) => Object.keys(row.query?.parameters ?? {}))), "colour"];
const search = fc
  .array(
    fc.tuple(
      fc.constantFrom(...PARAMETERS),
      fc.oneof(written, fc.constantFrom("true", "scheduled,dead", "10", "200", "failing", "finished")),
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => (parts.length === 0 ? "" : `?${parts.map((part) => part.join("=")).join("&")}`));

const seldom = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const JSON_TYPE = "application/json";
const headers = fc
  .record({
    "content-type": seldom(
      JSON_TYPE,
      `${JSON_TYPE}; charset=utf-8`,
      `${JSON_TYPE}; charset=latin1`,
      "text/plain",
      "*/*",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/graphql",
      "application/merge-patch+json",
    ),
    "content-encoding": seldom(undefined, "gzip", "identity", "x"),
    "idempotency-key": seldom(undefined, "i", "i2", "x".repeat(300), "a\tb", "é"),
    "if-match": seldom(undefined, '"1"', "1", "*", 'W/"1"', '"', "x".repeat(500)),
    accept: seldom(undefined, JSON_TYPE, "text/html", "application/graphql-response+json", ""),
    "x-forwarded-for": seldom(undefined, "10.0.0.1", "junk, junk", ""),
    origin: seldom(undefined, "https://elsewhere.invalid", "null"),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));

type Route = Pick<FuzzedRequest, "method" | "path" | "body">;

function route(method: string, path: fc.Arbitrary<string>, body?: fc.Arbitrary<unknown>): fc.Arbitrary<Route> {
  if (!body) return path.map((given) => ({ method, path: given }));
  return fc.tuple(path, bodyOf(body)).map(([given, bytes]) => ({ method, path: given, body: bytes }));
}

const lists = fc.tuple(
  fc.constantFrom("/v1/tasks", "/v1/tasks/counts", "/v1/stats", "/v1/cluster", "/graphql"),
  search,
);
const files = fc.oneof(
  fc.constantFrom("/openapi.json", "/dashboard/", "/health/ready"),
  written.map((text) => `/${text}`),
);

/** A route: its method, its path, and what it expects. */
function routes(ids: readonly string[]): fc.Arbitrary<Route> {
  const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: written });
  const ofTask = (end = ""): fc.Arbitrary<string> => id.map((one) => `/v1/tasks/${one}${end}`);
  const shown = fc.tuple(ofTask(), fc.constantFrom("", "/journal"), search);
  const ofRows = EXAMPLE_CALLS.filter(({ row }) => row.role !== "none" && row.events === undefined).map(
    ({ verb, path, row, body }) => {
      const address = fc.tuple(id, search).map(([one, asked]) => path.replace(/:\w+/, one) + (row.query ? asked : ""));
      return route(verb, address, body && mutated(body));
    },
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...ofRows) },
    route("POST", fc.constant("/v1/tasks"), task),
    route("POST", fc.constant("/v1/tasks/bulk"), bulk),
    route(
      "POST",
      fc.constantFrom("/v1/tasks/cancel", "/v1/tasks/pause", "/v1/tasks/resume"),
      mutated({ type: "fuzz", key: "k" }),
    ),
    route("POST", fc.constant("/graphql"), graphql),
    route("PATCH", ofTask(), changes),
    route("POST", ofTask("/run-now"), values),
    route("POST", ofTask("/retry"), values),
    route("DELETE", ofTask()),
    ...[lists, shown].map((parts) =>
      route(
        "GET",
        (parts as fc.Arbitrary<string[]>).map((texts) => texts.join("")),
      ),
    ),
    route("GET", files),
  );
}

const otherMethod = seldom(undefined, "PUT", "HEAD", "OPTIONS", "POST", "GET");
const missing = seldom(0, 1, 50);

/** An endless sequence of requests, the same for the same seed of fast-check. */
export function fuzzedRequests({ authorizations, ids }: Target): fc.Arbitrary<FuzzedRequest> {
  return fc
    .tuple(routes(ids), headers, fc.constantFrom(...authorizations), otherMethod, missing)
    .map(([given, fields, authorization, other, missingBytes]) => ({
      ...given,
      method: other ?? given.method,
      headers: { ...(fields as Record<string, string>), ...(authorization === undefined ? {} : { authorization }) },
      ...(given.body && missingBytes > 0 ? { missingBytes } : {}),
    }));
}
