import { readFileSync } from "node:fs";

/** An order as the data tells it. */
export interface SourceOrder {
  orderId: string;
  /** Seconds from the purchase to the payment's approval; null: it never came. */
  approvedAfterS: number | null;
}

/** A file of orders cannot be used; the message names the line. */
export class OrdersFileError extends Error {
  override readonly name = "OrdersFileError";
}

const COLUMNS = ["order_id", "purchased_at", "approved_after_s", "final_status"];
const ORDER_ID = /^[\w-]{1,57}$/;

/**
 * Reads orders, in the order of the file.
 *
 * @throws OrdersFileError for a file that cannot be read and for the first bad line
 */
export function readOrders(file: string): SourceOrder[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new OrdersFileError(`${file} cannot be read: ${(error as Error).message}`);
  }
  return parseOrders(text, file);
}

/** As {@link readOrders}, of a file's text. */
export function parseOrders(text: string, file: string): SourceOrder[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const fault = (index: number, what: string) => new OrdersFileError(`${file}, line ${index + 1}: ${what}`);
  if (lines[0]?.split(",").join() !== COLUMNS.join()) throw fault(0, `the columns must be ${COLUMNS.join(", ")}`);
  const lineOf = new Map<string, number>();
  const orders = lines.slice(1).map((line, row) => {
    const parsed = parseLine(line);
    if (typeof parsed === "string") throw fault(row + 1, parsed);
    const earlier = lineOf.get(parsed.orderId);
    if (earlier !== undefined) throw fault(row + 1, `the order ${parsed.orderId} is on line ${earlier} already`);
    lineOf.set(parsed.orderId, row + 2);
    return parsed;
  });
  if (orders.length === 0) throw new OrdersFileError(`${file} holds no orders`);
  return orders;
}

/** The order of a line, or what is wrong with it. */
function parseLine(line: string): SourceOrder | string {
  const fields = line.split(",");
  if (fields.length !== COLUMNS.length) return `has ${fields.length} fields, not ${COLUMNS.length}`;
  const [orderId, purchasedAt, approvedAfterS] = fields as [string, string, string];
  if (!ORDER_ID.test(orderId)) return `order_id "${orderId}" is not 1 to 57 letters, digits, - or _`;
  if (Number.isNaN(Date.parse(purchasedAt))) return `purchased_at "${purchasedAt}" is not an instant`;
  if (!/^\d*$/.test(approvedAfterS)) return `approved_after_s "${approvedAfterS}" is not a whole number of seconds`;
  return { orderId, approvedAfterS: approvedAfterS === "" ? null : Number(approvedAfterS) };
}
