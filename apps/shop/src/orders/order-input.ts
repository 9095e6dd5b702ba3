import { IsInt, IsString, Matches, Max, Min } from "class-validator";

const LONGEST_TIMEOUT_MS = 30 * 24 * 3_600_000;
/** What an order's id looks like; it is the key of its task, too. */
export const ORDER_ID = /^[\w-]{1,64}$/;

/** The body of `POST /orders`. */
export class PlaceOrderInput {
  @IsString()
  @Matches(ORDER_ID, { message: "orderId must be 1 to 64 letters, digits, - or _" })
  orderId!: string;

  /** How long the order waits for its payment, in milliseconds. */
  @IsInt()
  @Min(1)
  @Max(LONGEST_TIMEOUT_MS)
  timeoutMs!: number;
}
