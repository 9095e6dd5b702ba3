import { expect, test } from "@jest/globals";
import { ERROR_CODES } from "@tickwheel/core";
import { read } from "./project-files.js";

test("docs/errors.md explains every code with its status, and no other", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) +\| (\S.*?) +\| (\S.*?) +\|$/gm)];
  const documented = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]));
  expect(documented).toEqual(ERROR_CODES);
  expect(rows).toHaveLength(Object.keys(ERROR_CODES).length);
});
