import { expect, test } from "@jest/globals";
import { apiBaseOf } from "./address.js";

test.each([
  ["http://localhost:3000/dashboard/", "http://localhost:3000/v1"],
  ["http://localhost:3000/dashboard", "http://localhost:3000/v1"],
  ["http://localhost:3000/dashboard/index.html#/tasks", "http://localhost:3000/v1"],
  ["https://shop.example/ops/tickwheel/dashboard/?x=1#/tasks/new", "https://shop.example/ops/tickwheel/v1"],
  ["https://shop.example/dashboard/dashboard/", "https://shop.example/dashboard/v1"],
  ["http://localhost:5173/", "http://localhost:5173/v1"],
])("the page at %s talks to %s", (page, api) => {
  expect(apiBaseOf(page)).toBe(api);
});
