import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import { Mailer } from "./mailer.js";
import { type ReleaseReminder, RemindOfRelease } from "./remind-of-release.task.js";

/** Sends the reminder. A mail cannot be taken back, nor sent exactly once: each attempt sends it under the same id. */
@Injectable()
@DelayTaskHandler(RemindOfRelease)
export class RemindOfReleaseHandler {
  constructor(private readonly mailer: Mailer) {}

  async handle({ payload }: DelayTask<ReleaseReminder>, { idempotencyKey: id }: DelayTaskContext): Promise<void> {
    const { version, email: to } = payload;
    await this.mailer.send({ id, to, subject: `How is ${version}?`, text: `${version} was released a week ago.` });
  }
}
