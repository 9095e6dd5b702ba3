import { describe, expect, test } from "@jest/globals";
import { problemOfAnswer, problemOfFailure, sentenceOf } from "./problem.js";

const answer = (status: number, body: string, retryAfter: string | null = null) => ({ status, body, retryAfter });

describe("problemOfAnswer", () => {
  test("a problem keeps the code, the detail and every fault of the answer with its path", () => {
    const body = JSON.stringify({
      title: "Bad request",
      status: 400,
      code: "VALIDATION_FAILED",
      detail: "2 faults",
      errors: [
        { path: "type", detail: "is empty" },
        { path: ["payload", "items", 0], message: "is too deep" },
      ],
    });
    expect(problemOfAnswer(answer(400, body))).toEqual({
      status: 400,
      code: "VALIDATION_FAILED",
      title: "Bad request",
      detail: "2 faults",
      errors: [
        { path: "type", detail: "is empty" },
        { path: "payload.items.0", detail: "is too deep" },
      ],
      retryAfterMs: null,
    });
  });

  test("a problem reads Retry-After in seconds", () => {
    expect(problemOfAnswer(answer(503, "{}", "3")).retryAfterMs).toBe(3000);
    expect(problemOfAnswer(answer(503, "{}", "soon")).retryAfterMs).toBeNull();
  });

  test.each(["<html>Bad gateway</html>", "", "null", '"text"'])(
    "an answer that is no problem+json still says its status: %j",
    (body) => {
      const problem = problemOfAnswer(answer(502, body));
      expect(problem).toMatchObject({ status: 502, code: null, errors: [] });
      expect(sentenceOf(problem)).toBe("The server answered 502");
    },
  );
});

test("a call that timed out and a call that could not connect are told apart", () => {
  expect(problemOfFailure(new DOMException("x", "TimeoutError")).title).toBe("No answer in time");
  expect(problemOfFailure(new TypeError("fetch failed")).title).toBe("The API cannot be reached");
});
