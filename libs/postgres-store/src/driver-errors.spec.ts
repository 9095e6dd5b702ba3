import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { isLockConflict, sqlStateOf, translateDriverError } from "./driver-errors.js";

const databaseError = (code: string, extra: object = {}): Error =>
  Object.assign(new Error('duplicate key: "secret"'), { code, detail: "Key (id)=(secret) already exists.", ...extra });

describe("translateDriverError", () => {
  test.each(["57P01", "57P03", "57014", "53300", "08006", "55P03", "40P01", "25006"])(
    "%s means that the store is unavailable",
    (sqlState) => {
      expect(translateDriverError(databaseError(sqlState), "claim_tasks")).toMatchObject({
        code: "STORE_UNAVAILABLE",
        details: { sqlState, statement: "claim_tasks" },
      });
    },
  );

  test.each(["28P01", "28000", "3D000", "42501", "42P01", "3F000", "0A000"])(
    "%s is nothing that waiting cures: a start ends with it",
    (sqlState) => {
      const translated = translateDriverError(databaseError(sqlState), "migrate");
      expect(translated).toMatchObject({ code: "INTERNAL", details: { sqlState } });
    },
  );

  test.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", undefined])(
    "an error of the connection (%s) means that the store is unavailable",
    (code) => {
      const error = Object.assign(new Error("Connection terminated unexpectedly"), { code });
      expect(translateDriverError(error, "claim_tasks").code).toBe("STORE_UNAVAILABLE");
    },
  );

  test("a refusal is internal, and tells state and constraint but nothing of the values", () => {
    const translated = translateDriverError(
      databaseError("23505", { constraint: "task_pkey", table: "task" }),
      "insert_tasks",
    );
    expect(translated).toMatchObject({ code: "INTERNAL", details: { sqlState: "23505", constraint: "task_pkey" } });
    expect(`${translated.message}${JSON.stringify(translated.details)}`).not.toContain("secret");
    expect(translated.cause).toBeUndefined();
  });

  test("an error that TypeORM wrapped is read through", () => {
    const wrapped = Object.assign(new Error("query failed"), {
      driverError: databaseError("23505"),
      parameters: ["x"],
    });
    expect(sqlStateOf(translateDriverError(wrapped, "insert_tasks"))).toBe("23505");
  });

  test("what is translated already stays as it is", () => {
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
