/**
 * All records of a wheel are in use. The wheel is unharmed: the insert that met this changed nothing, and there is room
 * again as soon as a timer is handed out or cancelled.
 */
export class WheelFullError extends Error {
  override readonly name = "WheelFullError";
  readonly code = "WHEEL_FULL";

  constructor(
    /** How many timers the wheel can hold. */
    readonly capacity: number,
  ) {
    super(`The timing wheel is full: it holds ${capacity} timers.`);
  }
}
