import { runInNewContext } from "node:vm";
import { Injectable } from "@nestjs/common";
import { NonRetryableError, RetryAtError } from "@tickwheel/core";
import { DelayTaskHandler } from "@tickwheel/nestjs";

/** Not a literal, because linters rightly warn of an object with this property. */
const THEN = String("then");
const no = () => {
  throw new Error("no");
};

function revoked() {
  const { proxy, revoke } = Proxy.revocable(new Error("gone"), {});
  revoke();
  return proxy;
}

/** Values that a handler may throw by mistake or on purpose. */
const THROWN = {
  "message-object": () => Object.assign(new Error("x"), { message: { code: 5 } }),
  "message-number": () => Object.assign(new Error("x"), { message: 5 }),
  "getters-that-throw": () =>
    Object.defineProperties(new Error("x"), { message: { get: no }, stack: { get: no }, name: { get: no } }),
  "revoked-proxy": revoked,
  trapped: () => new Proxy(new Error("x"), { get: no, getPrototypeOf: no, has: no }),
  undefined: () => undefined,
  symbol: () => Symbol("s"),
  "no-prototype": () => Object.create(null),
  "other-realm": () => runInNewContext("new TypeError('far away')"),
  "not-retryable-odd": () => Object.assign(new NonRetryableError("x"), { message: { toString: no } }),
  "retry-never": () => Object.assign(new RetryAtError(new Date(0)), { retryAt: new Date(Number.NaN) }),
  "nul-and-surrogates": () => new Error("a\0b\uD800c"),
  huge: () => new Error("é".repeat(20_000_000)),
};

function nested(levels) {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

/** Values that a handler may return. */
const RETURNED = {
  bigint: () => 5n,
  circle: () => {
    const circle = {};
    circle.self = circle;
    return circle;
  },
  "to-json-throws": () => ({ toJSON: no }),
  "revoked-result": revoked,
  "then-throws": () => ({ [THEN]: no }),
  function: () => no,
  text: () => "nul \0, surrogate \uD800",
  deep: () => nested(1_500),
  "too-deep-for-json": () => nested(20_000),
  "two-megabytes": () => "x".repeat(2_000_000),
  "a-megabyte": () => "x".repeat(1_000_000),
  "hundreds-of-megabytes": () => "x".repeat(160_000_000),
  fine: () => "fine",
};

/** A provider whose payload names what it throws or returns. */
export function hostileHandler(type) {
  class HostileHandler {
    handle({ payload }) {
      if (Object.hasOwn(THROWN, payload)) throw THROWN[payload]();
      return RETURNED[payload]();
    }
  }
  Injectable()(HostileHandler);
  DelayTaskHandler(type)(HostileHandler);
  return HostileHandler;
}
