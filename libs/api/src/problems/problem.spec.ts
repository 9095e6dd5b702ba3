import { BadRequestException, HttpException, NotFoundException } from "@nestjs/common";
import { expect, test } from "@jest/globals";
import { ERROR_CODES, type ErrorCode, TickwheelError } from "@tickwheel/core";
import { problemOf, reportOf } from "./problem.js";

const outward = Object.entries(ERROR_CODES).filter(([, status]) => status !== 500);

test.each(outward)("%s is a problem with status %i", (code, status) => {
  const faults = [{ path: "delay", message: "must not be negative" }];
  expect(problemOf(new TickwheelError(code as ErrorCode, "Why.", { faults, details: { secret: 1 } }))).toEqual({
    type: `urn:tickwheel:error:${code}`,
    title: expect.stringMatching(/^[A-Z][a-z ]+$/),
    status,
    detail: "Why.",
    code,
    errors: faults,
  });
});

test.each([
  [new NotFoundException("Cannot GET /x"), 404, "NOT_FOUND"],
  [new HttpException("Who?", 401), 401, "UNAUTHENTICATED"],
  [new HttpException("No.", 403), 403, "FORBIDDEN"],
  [new HttpException("Slow down.", 429), 429, "RATE_LIMITED"],
  [new HttpException("Odd.", 415), 415, "VALIDATION_FAILED"],
  [new HttpException("Away.", 503), 503, "STORE_UNAVAILABLE"],
])("an HTTP error of the framework is a problem with its status: %s", (error, status, code) => {
  expect(problemOf(error)).toMatchObject({ status, code, detail: error.message, errors: [] });
});

test.each([
  [new BadRequestException("Unexpected token"), 400, "VALIDATION_FAILED"],
  [Object.assign(new Error("Body too large"), { statusCode: 413 }), 413, "PAYLOAD_TOO_LARGE"],
])("a body that cannot be read is a fault of the whole input: %s", (error, status, code) => {
  expect(problemOf(error)).toMatchObject({ status, code, errors: [{ path: "", message: error.message }] });
});

const internal = new TickwheelError("INTERNAL", "The column hunter2 is missing.");

test.each([
  new Error("password is hunter2"),
  internal,
  new TickwheelError("CONFIGURATION_INVALID", 'password authentication failed for user "hunter2"'),
  "hunter2",
  null,
  undefined,
  { status: 500, message: "hunter2" },
])("the problem of an internal fault tells nothing of the fault: %s", (error) => {
  const problem = problemOf(error);
  expect(problem).toMatchObject({ status: 500, code: "INTERNAL", errors: [] });
  expect(JSON.stringify(problem)).not.toContain("hunter2");
});

test.each(["BATCH_EXISTS", "TASK_KEY_CONFLICT"] as const)("the problem %s tells what is there already", (code) => {
  const error = new TickwheelError(code, "Why.", { details: { existingId: "0198", secret: 1 } });
  expect(problemOf(error)).toMatchObject({ code, existingId: "0198" });
  expect(problemOf(error)).not.toHaveProperty("secret");
});

test("the report of an error is safe to be printed, whatever was thrown", () => {
  const forged = "x\nERROR forged\u001b[2J";
  const errors = [new Error(forged), new TickwheelError("INTERNAL", forged, { cause: new Error(forged) })];
  for (const report of errors.map(reportOf)) {
    expect(report).toMatch(/^\w+: x\n {4}ERROR forged\\u001b\[2J\n {4}at /);
    expect(report).not.toMatch(/\n\S/);
    expect(report).not.toContain("\u001b");
  }
});
