import { expect, test } from "@jest/globals";
import { csrfTokenOf, hashSession, isCsrfTokenOf, newSessionSecret, sessionSecret } from "./session-secret.js";

const SECRET = newSessionSecret();

test("each secret of a session is new, and so is its token, which is neither the secret nor its hash", () => {
  const other = newSessionSecret();
  expect(new Set([SECRET, other, csrfTokenOf(SECRET), csrfTokenOf(other), hashSession(SECRET)]).size).toBe(5);
});

test.each([
  undefined,
  "",
  "wrong",
  csrfTokenOf(newSessionSecret()),
  [csrfTokenOf(SECRET)],
  csrfTokenOf(SECRET).slice(1),
])("the token %j is not the session's", (token) => {
  expect([isCsrfTokenOf(SECRET, csrfTokenOf(SECRET)), isCsrfTokenOf(SECRET, token)]).toEqual([true, false]);
});

test.each([
  [`tickwheel_session=${SECRET}`, SECRET],
  [`a=1; tickwheel_session=${SECRET};b=2`, SECRET],
  [`tickwheel_session=${SECRET}; tickwheel_session=${newSessionSecret()}`, SECRET],
  [`not_tickwheel_session=${SECRET}`, null],
  ["tickwheel_session=", null],
  [`tickwheel_session=${SECRET}=`, SECRET],
  [`tickwheel_session=${SECRET}x`, null],
  ["tickwheel_session", null],
  [";=;;", null],
  [undefined, null],
  [[SECRET], null],
])("the header %j holds the secret %j", (header, secret) => {
  expect(sessionSecret(header)).toBe(secret);
});
