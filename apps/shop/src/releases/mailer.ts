import { createTransport } from "nodemailer";

const SENDER = "shop@example.com";
/** The time-out of a connection, of the server's greeting, and of silence. Milliseconds. */
const PATIENCE_MS = 10_000;

/** A mail to one address, in plain text. */
export interface Mail {
  /** The same whenever a mail is sent again: mailboxes tell by it that they have it already. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** Sends mails by SMTP, each over a connection of its own. */
export class Mailer {
  private readonly transport;

  /** @param url of the server: `smtp://host:port`, or `smtps://user:password@host` */
  constructor(url: string) {
    const patience = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS };
    this.transport = createTransport({ url, ...patience });
  }

  /** @throws Error when the server does not take the mail */
  async send({ id, ...mail }: Mail): Promise<void> {
    await this.transport.sendMail({ ...mail, from: SENDER, messageId: `<${id}@shop.example.com>` });
  }
}
