import { describe, expect, test } from "@jest/globals";
import { isAllowedHost } from "./allowed-hosts.js";

describe("isAllowedHost", () => {
  test.each([
    ["https://hooks.example.com/x", ["hooks.example.com"], true],
    ["https://HOOKS.example.com/x", ["hooks.Example.com:443"], true],
    ["http://hooks.example.com:8080/x", ["hooks.example.com:8080"], true],
    ["http://[::1]:9000/", ["[::1]:9000"], true],
    ["https://hooks.example.com:8443/x", ["hooks.example.com"], false],
    ["https://hooks.example.com.evil.org/", ["hooks.example.com"], false],
    ["https://hooks.example.com@evil.org/", ["hooks.example.com"], false],
    ["ftp://hooks.example.com/", ["hooks.example.com"], false],
    ["https://hooks.example.com/", [], false],
  ])("%p with %p: %p", (url, allowed, expected) => {
    expect(isAllowedHost(new URL(url), allowed)).toBe(expected);
  });
});
