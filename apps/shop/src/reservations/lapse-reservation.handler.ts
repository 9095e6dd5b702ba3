import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler, type PayloadOf } from "@tickwheel/nestjs";
import { LapseReservation } from "./lapse-reservation.task.js";

/** A confirmation may come while this runs: the row has the last word. */
@Injectable()
@DelayTaskHandler(LapseReservation)
export class LapseReservationHandler {
  async handle({ payload }: DelayTask<PayloadOf<typeof LapseReservation>>, context: DelayTaskContext): Promise<void> {
    await context.transaction((manager) =>
      manager.query("UPDATE shop.reservations SET status = 'lapsed' WHERE id = $1 AND status = 'held'", [payload.id]),
    );
  }
}
