import { defineTask } from "@tickwheel/nestjs";

/** A message to a user's devices. */
export interface Push {
  userId: string;
  text: string;
}

/** Sends a push message. The task's key is the message's id. */
export const SendPush = defineTask<Push>("push.send", { maxAttempts: 5 });
