import { Module } from "@nestjs/common";
import { LapseReservationHandler } from "./lapse-reservation.handler.js";
import { ReservationsService } from "./reservations.service.js";

/** Reservations, and the task that ends those that nobody confirms. */
@Module({ providers: [ReservationsService, LapseReservationHandler], exports: [ReservationsService] })
export class ReservationsModule {}
