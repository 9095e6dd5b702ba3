import { describe, expect, test } from "@jest/globals";
import { parseOrders, readOrders } from "./orders.js";

const HEAD = "order_id,purchased_at,approved_after_s,final_status";
const parse = (...lines: string[]) => parseOrders([HEAD, ...lines, ""].join("\n"), "orders.csv");

describe("the reader of orders", () => {
  test("the reader of orders keeps the order of the file and knows orders that were never approved", () => {
    expect(parse("b,2017-01-01T00:00:00Z,0,shipped", "a,2017-01-01T00:01:00Z,,canceled")).toEqual([
      { orderId: "b", approvedAfterS: 0 },
      { orderId: "a", approvedAfterS: null },
    ]);
  });

  test("the reader of orders takes lines that end in CR LF", () => {
    expect(parseOrders(`${HEAD}\r\na,2017-01-01T00:00:00Z,60,shipped\r\n`, "f")).toHaveLength(1);
  });

  test.each([
    ["a field too few", "a,2017-01-01T00:00:00Z,60", "has 3 fields, not 4"],
    ["an empty line", "", "has 1 fields, not 4"],
    ["an id with a space", "a b,2017-01-01T00:00:00Z,60,x", 'order_id "a b" is not'],
    ["an impossible instant", "a,2017-13-01T00:00:00Z,60,x", 'purchased_at "2017-13-01T00:00:00Z" is not an instant'],
    ["a negative time", "a,2017-01-01T00:00:00Z,-60,x", 'approved_after_s "-60" is not'],
    ["a broken number", "a,2017-01-01T00:00:00Z,6x,x", 'approved_after_s "6x" is not'],
  ])("the reader of orders names the line with %s", (_, line, message) => {
    const good = "good,2017-01-01T00:00:00Z,60,shipped";
    expect(() => parse(good, line, good)).toThrow(`orders.csv, line 3: ${message}`);
  });

  test("the reader of orders names both lines of an order that is there twice", () => {
    const line = "a,2017-01-01T00:00:00Z,60,shipped";
    expect(() => parse(line, "b,2017-01-01T00:00:00Z,60,shipped", line)).toThrow(
      "orders.csv, line 4: the order a is on line 2 already",
    );
  });

  test("the reader of orders refuses other columns and a file without orders", () => {
    expect(() => parseOrders("id,at\n", "f")).toThrow("f, line 1: the columns must be order_id,");
    expect(() => parse()).toThrow("orders.csv holds no orders");
  });

  test("the reader of orders tells which file cannot be read", () => {
    expect(() => readOrders("/nowhere/orders.csv")).toThrow("/nowhere/orders.csv cannot be read");
  });
});
