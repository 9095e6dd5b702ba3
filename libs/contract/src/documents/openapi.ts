import { type ErrorCode, ERRORS, RISING_ROLES } from "@tickwheel/core";
import { inputShape } from "../input/input-shape.js";
import { addressOf, type Group, isBodyOptional, type Operation } from "../operations/operation.js";
import type { Parameter } from "../queries/parameters.js";
import { problem } from "../records/fault.js";
import type { JsonSchema, Shape } from "../shapes/shape.js";
import { type Components, componentSchema, schemaOf } from "./json-schema.js";

const PROJECT_URL = "https://github.com/tickwheel/tickwheel";

/** The header of a call that is done once. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";
/** The header of an answer that an idempotency key gives again. */
export const REPLAYED = "Tickwheel-Replayed";
/** A call over HTTP waits so long for a task at most. */
export const MOST_WAIT_SECONDS = 60;

const ERRORS_OF_EVERY_CALL: readonly ErrorCode[] = [
  // At least for a parameter that the call does not know.
  "VALIDATION_FAILED",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
  "STORE_UNAVAILABLE",
];
/** The errors of a call that may change something, with the page's session. */
const ERRORS_OF_EVERY_CHANGE: readonly ErrorCode[] = ["CSRF_TOKEN_INVALID"];
const ERRORS_OF_EVERY_BODY: readonly ErrorCode[] = ["PAYLOAD_TOO_LARGE"];
const NO_JSON = "- `VALIDATION_FAILED`: The body is not JSON in UTF-8, or is compressed.";

/** The OpenAPI document of these calls. */
export function openApiOf(groups: readonly Group[]): Record<string, unknown> {
  const components: Components = new Map();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const group of groups)
    for (const [id, row] of Object.entries(group.rows)) {
      const { verb, path } = addressOf(row);
      const address = path.replaceAll(/:(\w+)/g, "{$1}");
      (paths[address] ??= {})[verb.toLowerCase()] = operationOf(id, { row, group }, components);
    }
  return {
    openapi: "3.0.0",
    info: INFO,
    tags: groups.map(({ tag: name, text: description }) => ({ name, description })),
    servers: [{ url: "." }],
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: schemasOf(components) },
  };
}

const INFO = {
  title: "Tickwheel",
  description: "Durable delayed tasks. Errors are problem+json; their codes are explained in docs/errors.md.",
  version: "1",
  contact: { name: "Tickwheel", url: PROJECT_URL },
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
};

/** How a key, and the page's session, is shown to the API. */
const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: `An API key. Roles: ${RISING_ROLES.join(" < ")}, and worker beside them; each belongs to one namespace.`,
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "tickwheel_session",
    description: "A session of the page. Every call but GET and HEAD needs its CSRF token, too, in `X-CSRF-Token`.",
  },
};

/** Components in the order in which they were referred to; each may refer to more of them. */
function schemasOf(components: Components): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const [name, shape] of components) schemas[name] = componentSchema(shape, components);
  return schemas;
}

function operationOf(
  operationId: string,
  { row, group }: { row: Operation; group: Group },
  components: Components,
): Record<string, unknown> {
  const right = row.cluster ? " and the right `cluster`" : "";
  const parameters = [...pathParameters(row, group), ...queryParameters(row), ...headerParameters(row)];
  return {
    operationId,
    summary: row.summary,
    description:
      row.access?.text ?? `Needs the role ${row.role === "worker" ? "worker or operator" : row.role}${right}.`,
    tags: [group.tag],
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && {
      requestBody: { required: !isBodyOptional(row), content: jsonOf(inputShape(row.body), components) },
    }),
    responses: { ...goodAnswers(row, components), ...badAnswers(row, components) },
    security: row.access?.security ?? [{ bearer: [] }, ...(row.role === "worker" ? [] : [{ session: [] }])],
  };
}

function jsonOf(shape: Shape, components: Components): Record<string, unknown> {
  return { "application/json": { schema: schemaOf(shape, components) } };
}

function pathParameters({ rest }: Operation, { path }: Group): unknown[] {
  const names = [...rest.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return names.map((name) => {
    const { text: description, ...shape } = path[name]!;
    return { name, in: "path", required: true, description, schema: schemaOf(shape, new Map()) };
  });
}

function queryParameters({ query }: Operation): unknown[] {
  return Object.entries(query?.parameters ?? {}).map(([name, parameter]) => queryParameter(name, parameter));
}

function queryParameter(name: string, { text: description, isRequired, isWhole, ...shape }: Parameter): unknown {
  const isList = shape.form.kind === "list";
  return {
    name,
    in: "query",
    required: isRequired === true,
    description,
    // Given once, with commas, unless its texts may have some.
    ...(isList && { style: "form", explode: isWhole === true }),
    schema: schemaOf(shape, new Map()),
  };
}

function headerParameters({ isOnce, ifMatch, mayWait, mayBeBrief }: Operation): unknown[] {
  const once = {
    name: IDEMPOTENCY_KEY,
    in: "header",
    required: false,
    description: `The first of several calls with the same one is done, and the others get its answer, with the header ${REPLAYED}.`,
    schema: { type: "string", minLength: 1, maxLength: 256 },
  };
  const match = ifMatch && {
    name: "If-Match",
    in: "header",
    required: false,
    description: ifMatch.text,
    schema: { type: "string" },
  };
  const prefer = {
    name: "Prefer",
    in: "header",
    required: false,
    description: `\`wait=10\`: the answer comes when the task has ended, or after so many seconds (at most ${MOST_WAIT_SECONDS}) with the task as it is then; the header Preference-Applied says how many.`,
    schema: { type: "string" },
    example: "wait=10",
  };
  const brief = {
    ...prefer,
    description:
      "`return=minimal`: a task that is cancelled is answered with 204 and the header Preference-Applied, without the task. It costs less.",
    example: "return=minimal",
  };
  return [
    ...(isOnce ? [once] : []),
    ...(match ? [match] : []),
    ...(mayWait ? [prefer] : []),
    ...(mayBeBrief ? [brief] : []),
  ];
}

function goodAnswers({ answers, events }: Operation, components: Components): Record<string, unknown> {
  if (events !== undefined)
    return { 200: { description: events, content: { "text/event-stream": { schema: { type: "string" } } } } };
  return Object.fromEntries(
    Object.entries(answers).map(([status, shape]) => [
      status,
      shape === null
        ? { description: "Done; there is no body." }
        : { description: "OK", content: jsonOf(shape, components) },
    ]),
  );
}

function badAnswers(row: Operation, components: Components): Record<string, unknown> {
  const content = { "application/problem+json": { schema: schemaOf(problem, components) } };
  return Object.fromEntries(
    Object.entries(errorsOf(row)).map(([status, description]) => [status, { description, content }]),
  );
}

/** A call's errors, each with its text, by their status. */
function errorsOf(row: Operation): Record<number, string> {
  const told: Record<number, string> = row.body ? { 415: NO_JSON } : {};
  for (const code of codesOf(row)) {
    const { status, text } = ERRORS[code];
    const line = `- \`${code}\`: ${text}`;
    told[status] = told[status] === undefined ? line : `${told[status]}\n${line}`;
  }
  return told;
}

function codesOf({ access, role, body, errors = [] }: Operation): ReadonlySet<ErrorCode> {
  return new Set(
    access?.errors ?? [
      ...ERRORS_OF_EVERY_CALL,
      ...(role === "viewer" ? [] : ERRORS_OF_EVERY_CHANGE),
      ...(body ? ERRORS_OF_EVERY_BODY : []),
      ...errors,
    ],
  );
}
