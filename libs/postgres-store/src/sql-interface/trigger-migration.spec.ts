import { describe, expect, test } from "@jest/globals";
import { taskTrigger } from "./trigger-migration.js";

const ORDERS = { table: "orders", when: "status <> 'unpaid'", type: "order.cancel", key: "id" };

describe("the migration of a task that is bound to a row", () => {
  test("the migration of a task that is bound to a row cancels by update and by deletion, and can be taken back", () => {
    const { up, down } = taskTrigger(ORDERS);
    expect(up.split("\n")).toEqual([
      '-- The task "order.cancel" goes with the rows of orders.',
      'CREATE FUNCTION "tickwheel_order_cancel_is_over"(orders) RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC',
      "  SELECT (status <> 'unpaid') IS TRUE FROM (SELECT ($1).*) AS orders;",
      "END;",
      'CREATE TRIGGER "tickwheel_order_cancel_over" AFTER UPDATE ON orders FOR EACH ROW WHEN ("tickwheel_order_cancel_is_over"(NEW) AND NOT "tickwheel_order_cancel_is_over"(OLD))',
      "  EXECUTE FUNCTION tickwheel.cancel_with_row('order.cancel', 'id', '');",
      'CREATE TRIGGER "tickwheel_order_cancel_gone" AFTER DELETE ON orders FOR EACH ROW WHEN (NOT "tickwheel_order_cancel_is_over"(OLD))',
      "  EXECUTE FUNCTION tickwheel.cancel_with_row('order.cancel', 'id', '');",
    ]);
    expect(down.split("\n")).toEqual([
      ...["made", "over", "gone"].map((name) => `DROP TRIGGER IF EXISTS "tickwheel_order_cancel_${name}" ON orders;`),
      'DROP FUNCTION IF EXISTS "tickwheel_order_cancel_is_over"(orders);',
    ]);
  });

  test("the migration of a task that is bound to a row makes the task with the row, where it has a delay", () => {
    const { up } = taskTrigger({ ...ORDERS, delay: "1h30m", namespace: "it's", schema: "other" });
    expect(up).toContain(
      `AFTER INSERT ON orders FOR EACH ROW WHEN (NOT "tickwheel_order_cancel_is_over"(NEW))
  EXECUTE FUNCTION other.schedule_with_row('order.cancel', 'id', 'it''s', '5400000 milliseconds');`,
    );
  });

  test("a row-bound task's migration has names that differ and that Postgres does not cut, however long the type's name is", () => {
    const { up } = taskTrigger({ ...ORDERS, type: "x".repeat(128), delay: "1h" });
    const names = [...up.matchAll(/CREATE (?:TRIGGER|FUNCTION) "([^"]+)"/g)].map(([, name]) => name!);
    expect(new Set(names).size).toBe(4);
    expect(names.every((name) => name.length <= 63)).toBe(true);
  });

  test("the migration of a task that is bound to a row takes names as SQL has them: folded, quoted, within a schema", () => {
    const { up } = taskTrigger({ ...ORDERS, table: 'shop."My ""Orders"""', key: "Id" });
    expect(up).toContain('CREATE FUNCTION shop."tickwheel_order_cancel_is_over"(shop."My ""Orders""")');
    expect(up).toContain('FROM (SELECT ($1).*) AS "My ""Orders""";');
    expect(up).toContain("('order.cancel', 'id', '')");
    expect(taskTrigger({ ...ORDERS, key: '"Id"' }).up).toContain("('order.cancel', 'Id', '')");
  });

  test.each([
    ["table", "orders; DROP TABLE orders"],
    ["table", "a.b.c"],
    ["when", "true); DROP TABLE orders; --"],
    ["when", ""],
    ["type", "order cancel"],
    ["key", "id, secret"],
    ["delay", "soon"],
    ["schema", 'x"y'],
  ] as const)("the migration of a task that is bound to a row refuses %s %p", (field, value) => {
    expect(() => taskTrigger({ ...ORDERS, [field]: value })).toThrow(new RegExp(`^${field} must be `));
  });
});
