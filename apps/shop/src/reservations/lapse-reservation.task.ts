import { defineTask } from "@tickwheel/nestjs";

/** Ends a reservation that nobody has confirmed. A trigger of the table makes the task; its key is the row's id. */
export const LapseReservation = defineTask<{ id: string }>("reservation.lapse", { maxAttempts: 10 });
