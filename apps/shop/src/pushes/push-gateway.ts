import { Injectable, Logger } from "@nestjs/common";
import type { Push } from "./send-push.task.js";

/** Where push messages go. This one only logs them; a real one calls a vendor. */
@Injectable()
export class PushGateway {
  private readonly logger = new Logger("Pushes");

  /** @param idempotencyKey the same whenever a message is sent again: a vendor delivers it once */
  async send({ userId, text }: Push, idempotencyKey: string): Promise<void> {
    this.logger.log(`To ${userId}: ${text} [${idempotencyKey}]`);
  }
}
