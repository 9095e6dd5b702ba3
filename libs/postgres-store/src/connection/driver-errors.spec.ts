import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { isLockConflict, sqlStateOf, translateDriverError } from "./driver-errors.js";

const databaseError = (code: string, extra: object = {}): Error =>
  Object.assign(new Error('duplicate key: "secret"'), { code, detail: "Key (id)=(secret) already exists.", ...extra });

describe("translateDriverError", () => {
  test.each(["57P01", "57P03", "57014", "53300", "53100", "54000", "08006", "55P03", "40P01", "25006"])(
    "the SQLSTATE %s means that the store is unavailable",
    (sqlState) => {
      expect(translateDriverError(databaseError(sqlState), "claim_tasks")).toMatchObject({
        code: "STORE_UNAVAILABLE",
        details: { sqlState, statement: "claim_tasks" },
      });
    },
  );

  test("a server that is read only is told apart, since a start waits less for it", () => {
    const { details } = translateDriverError(databaseError("25006"), "join");
    expect(details).toMatchObject({ readOnly: true, cure: expect.stringMatching(/^Connect to the primary/) });
    expect(translateDriverError(databaseError("57P01"), "join").details).not.toHaveProperty("readOnly");
  });

  test.each([
    ["28P01", "CONFIGURATION_INVALID"],
    ["28000", "CONFIGURATION_INVALID"],
    ["3D000", "CONFIGURATION_INVALID"],
    ["42501", "INTERNAL"],
    ["42P01", "INTERNAL"],
    ["3F000", "INTERNAL"],
    ["0A000", "INTERNAL"],
  ])("the SQLSTATE %s is nothing that waiting cures: a start ends with %s", (sqlState, code) => {
    const translated = translateDriverError(databaseError(sqlState), "migrate");
    expect(translated).toMatchObject({ code, details: { sqlState } });
  });

  test.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ERR_TLS_CERT_ALTNAME_INVALID", undefined])(
    "an error of the connection (%s) means that the store is unavailable",
    (code) => {
      const error = Object.assign(new Error("Connection terminated unexpectedly"), { code });
      expect(translateDriverError(error, "claim_tasks").code).toBe("STORE_UNAVAILABLE");
    },
  );

  test.each([
    new TypeError("Cannot read properties of undefined (reading 'id')"),
    Object.assign(new TypeError("no number"), { code: "ERR_INVALID_ARG_TYPE" }),
    new RangeError("Invalid array length"),
  ])("a fault of the program is told as a fault of the program, with its words and its cause: %s", (fault) => {
    const translated = translateDriverError(fault, "claim_tasks");
    expect(translated).toMatchObject({ code: "INTERNAL", details: { outcomeUnknown: true, statement: "claim_tasks" } });
    expect(translated.message).toContain(`${fault.name}: ${fault.message}`);
    expect(translated.cause).toBe(fault);
  });

  test("only the kind is told of a fault whose words may hold a value; anything may be thrown", () => {
    const fault = new SyntaxError('Unexpected token in JSON: "secret"');
    const { message, cause } = translateDriverError(fault, "claim_tasks");
    expect(message).toBe("A fault of the program, not of Postgres (SyntaxError): claim_tasks");
    expect(cause).toBe(fault);
    for (const thrown of [undefined, null, "secret", 5])
      expect(translateDriverError(thrown, "get")).toMatchObject({ code: "INTERNAL" });
  });

  test("a refusal by Postgres is INTERNAL, and names the SQLSTATE and the constraint but no value", () => {
    const translated = translateDriverError(
      databaseError("23505", { constraint: "task_pkey", table: "task" }),
      "insert_tasks",
    );
    expect(translated).toMatchObject({ code: "INTERNAL", details: { sqlState: "23505", constraint: "task_pkey" } });
    expect(`${translated.message}${JSON.stringify(translated.details)}`).not.toContain("secret");
    expect(translated.cause).toBeUndefined();
  });

  test("JSON that is nested too deeply for the server is bad data, although its SQLSTATE is that of a limit", () => {
    expect(translateDriverError(databaseError("54001"), "settle").details).toMatchObject({ dataRefused: true });
  });

  test("Postgres' own words are passed on where they name no value, with what cures the error", () => {
    const denied = Object.assign(new Error("permission denied for table task"), { code: "42501", detail: "secret" });
    const { message, details } = translateDriverError(denied, "claim_tasks");
    expect(message).toMatch(/\(42501: permission denied for table task\): claim_tasks\. Grant the role/);
    expect(JSON.stringify(details)).not.toContain("secret");
    const full = Object.assign(new Error("sorry, too many clients already"), { code: "53300" });
    expect(translateDriverError(full, "now").message).toMatch(/sorry, too many clients already.*max_connections/);
    const invalid = Object.assign(new Error('invalid input syntax for type uuid: "secret"'), { code: "22P02" });
    expect(translateDriverError(invalid, "get").message).not.toContain("secret");
    const own = Object.assign(new Error("rejected: secret"), { code: undefined });
    expect(translateDriverError(own, "get").message).not.toContain("secret");
  });

  test("an error that TypeORM wraps is translated like the original", () => {
    const wrapped = Object.assign(new Error("query failed"), {
      driverError: databaseError("23505"),
      parameters: ["x"],
    });
    expect(sqlStateOf(translateDriverError(wrapped, "insert_tasks"))).toBe("23505");
  });

  test("an error that is translated already stays as it is", () => {
    const error = new TickwheelError("TASK_NOT_FOUND", "gone");
    expect(translateDriverError(error, "any")).toBe(error);
  });
});

test.each([
  ["55P03", true],
  ["40P01", true],
  ["23505", false],
])("%s is a conflict of locks: %s", (sqlState, expected) => {
  expect(isLockConflict(databaseError(sqlState))).toBe(expected);
  expect(isLockConflict(translateDriverError(databaseError(sqlState), "any"))).toBe(expected);
});
