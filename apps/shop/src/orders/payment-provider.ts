import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { text } from "node:stream/consumers";

const SILENCE_LIMIT_MS = 5_000;

/**
 * Asks the payment provider about an order, over kept connections. 5 s of silence, like anything else that is not a
 * clear answer, is an error, to be tried again.
 */
export class PaymentProvider {
  private readonly isSecure: boolean;
  private readonly agent: Agent;

  constructor(private readonly url: string) {
    this.isSecure = new URL(url).protocol === "https:";
    this.agent = this.isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  }

  /** @throws whatever `signal` aborts with, or Error when the provider gives no usable answer */
  async isPaid(orderId: string, signal: AbortSignal): Promise<boolean> {
    try {
      const response = await this.get(new URL(`/payments/${encodeURIComponent(orderId)}`, this.url), signal);
      const paid = paidOf(await text(response));
      if (response.statusCode === 200 && paid !== null) return paid;
      throw new Error(`The payment provider answered ${response.statusCode} for order ${orderId}`);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  private get(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const send = this.isSecure ? secureRequest : request;
    return new Promise((resolve, reject) => {
      const call: ClientRequest = send(url, { agent: this.agent, timeout: SILENCE_LIMIT_MS, signal }, resolve);
      call.on("timeout", () => call.destroy(new Error(`The payment provider said nothing for ${SILENCE_LIMIT_MS} ms`)));
      call.on("error", reject);
      call.end();
    });
  }
}

function paidOf(body: string): boolean | null {
  try {
    const { paid } = JSON.parse(body) as { paid?: unknown };
    return typeof paid === "boolean" ? paid : null;
  } catch {
    return null;
  }
}
