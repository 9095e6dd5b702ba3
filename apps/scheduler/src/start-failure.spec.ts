import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { LocalServiceError } from "@tickwheel/local-services";
import { explainFailure, portInUse } from "./start-failure.js";

test("a port in use is explained with what to do", () => {
  expect(explainFailure(portInUse(3000))).toBe(
    "Port 3000 is in use. Stop what listens there, or set PORT to another port.",
  );
});

test("an unreachable store is explained with its cause and what to do", () => {
  const cause = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:5432")]);
  const message = explainFailure(new TickwheelError("STORE_UNAVAILABLE", "Postgres cannot be reached.", { cause }));
  expect(message).toMatch(/cannot be reached.*\n.*ECONNREFUSED 127\.0\.0\.1:5432\n.*DATABASE_URL/);
});

test("a cause that the message tells already is not told twice", () => {
  const cause = new Error("it is 14");
  expect(explainFailure(new TickwheelError("STORE_INCOMPATIBLE", "Wrong version: it is 14", { cause }))).toMatch(
    /^Wrong version: it is 14\n.*DATABASE_URL/,
  );
});

test("a bad configuration and a failed local service speak for themselves", () => {
  expect(explainFailure(new TickwheelError("CONFIGURATION_INVALID", "PORT must …"))).toBe("PORT must …");
  expect(explainFailure(new LocalServiceError("POSTGRES_IN_USE", "Process 5 runs …"))).toBe("Process 5 runs …");
});

test.each([
  ["28P01", /the user or the password.*DATABASE_URL/],
  ["3D000", /no such database.*DATABASE_URL/],
  ["42501", /denies the user a right.*DATABASE_URL/],
])("a refusal of Postgres with SQLSTATE %s is explained", (sqlState, advice) => {
  const error = new TickwheelError("INTERNAL", "Postgres refused a statement", { details: { sqlState } });
  expect(explainFailure(error)).toMatch(advice);
});

test("a bug that makes a start fail keeps its stack", () => {
  expect(explainFailure(new TypeError("x is undefined"))).toBeNull();
  expect(explainFailure(new TickwheelError("INTERNAL", "broken"))).toBeNull();
});
