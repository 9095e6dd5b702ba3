import { applyDecorators, Header } from "@nestjs/common";
import { ApiBearerAuth, ApiBody, ApiOperation, ApiResponse, ApiSecurity } from "@nestjs/swagger";
import { ERROR_CODES, type ErrorCode, type Role } from "@tickwheel/core";
import { RequireClusterRight, RequireRole } from "../keys/api-key.guard.js";
import { type SchemaName, schemaRef } from "./openapi-schemas.js";

/** What a call needs and answers: its guard and its page in the OpenAPI document are made from this. */
export interface ApiCallOptions {
  summary: string;
  /** The least role that may make the call. */
  role: Role;
  /** The call needs a key with the right `cluster` as well. */
  cluster?: boolean;
  body?: SchemaName;
  /** What good answers hold, by status; none: it sees to its own headers and description. */
  answers: Partial<Record<200 | 201 | 202, SchemaName>>;
  /** The errors of this call, beside those that every call may have. */
  errors?: readonly ErrorCode[];
}

const ERRORS_OF_EVERY_CALL: readonly ErrorCode[] = [
  // Of a parameter that the call does not know, at least.
  "VALIDATION_FAILED",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
  "STORE_UNAVAILABLE",
];

const ERRORS_OF_EVERY_BODY: readonly ErrorCode[] = ["PAYLOAD_TOO_LARGE"];

/** Of a call that may change something, with the page's session. */
const ERRORS_OF_EVERY_CHANGE: readonly ErrorCode[] = ["CSRF_TOKEN_INVALID"];

const JSON_HEADERS = [
  Header("cache-control", "no-store"),
  // Those that hold tasks are written by us, and a framework takes a string for plain text.
  Header("content-type", "application/json; charset=utf-8"),
];

/** Marks a controller's method as a call of the API. Answers are never cached: they hold tasks. */
export function ApiCall(call: ApiCallOptions): MethodDecorator {
  const right = call.cluster ? " and the right `cluster`" : "";
  return applyDecorators(
    RequireRole(call.role),
    ...(call.cluster ? [RequireClusterRight()] : []),
    ...(Object.keys(call.answers).length === 0 ? [] : JSON_HEADERS),
    ApiBearerAuth(),
    ApiSecurity("session"),
    ApiOperation({ summary: call.summary, description: `Needs the role ${call.role}${right}.` }),
    ...(call.body ? takesBody(call.body) : []),
    ...Object.entries(call.answers).map(([status, schema]) =>
      ApiResponse({ status: Number(status), description: "OK", schema: schemaRef(schema) }),
    ),
    ...problemAnswers([
      ...ERRORS_OF_EVERY_CALL,
      ...(call.role === "viewer" ? [] : ERRORS_OF_EVERY_CHANGE),
      ...(call.body ? ERRORS_OF_EVERY_BODY : []),
      ...(call.errors ?? []),
    ]),
  );
}

function takesBody(name: SchemaName): MethodDecorator[] {
  return [
    ApiBody({ required: true, schema: schemaRef(name) }),
    problemAnswer(415, "VALIDATION_FAILED: the body is not JSON in UTF-8, or is compressed."),
  ];
}

function problemAnswers(codes: readonly ErrorCode[]): MethodDecorator[] {
  const different = [...new Set(codes)];
  const statuses = new Set(different.map((code) => ERROR_CODES[code]));
  return [...statuses].map((status) =>
    problemAnswer(status, different.filter((code) => ERROR_CODES[code] === status).join(", ")),
  );
}

/** An answer that tells an error. */
export function problemAnswer(status: number, description: string): MethodDecorator {
  const content = { "application/problem+json": { schema: schemaRef("Problem") } };
  return ApiResponse({ status, description, content });
}
