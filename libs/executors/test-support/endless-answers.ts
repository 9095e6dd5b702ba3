import type { Socket } from "node:net";

const HEAD = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
const LONG = "x".repeat(8_000);

/** An answer that has no end: how it begins, and what follows again and again. */
export interface EndlessAnswer {
  begin: string;
  again: string;
  /** A pattern of the error that the attempt ends with. */
  fault: RegExp;
}

/** Every way known of answering without an end, by what it repeats. */
export const ENDLESS_ANSWERS: Readonly<Record<string, EndlessAnswer>> = {
  "informational answers": { begin: "", again: "HTTP/1.1 103 Early Hints\r\n\r\n", fault: /more than 8 informational/ },
  "informational answers with headers": {
    begin: "",
    again: `HTTP/1.1 103 Early Hints\r\nlink: ${LONG}\r\n\r\n`,
    fault: /more than 8 informational/,
  },
  "answers to go on": { begin: "", again: "HTTP/1.1 100 Continue\r\n\r\n", fault: /more than 8 informational/ },
  "lines of a header": { begin: HEAD, again: "a: b\r\n", fault: /Header overflow/ },
  "one line of a header": { begin: `${HEAD}a: `, again: LONG, fault: /Header overflow/ },
  "extensions of one chunk": { begin: `${CHUNKED}1`, again: ";a=b", fault: /Chunk extensions overflow/ },
  "chunks with extensions": {
    begin: CHUNKED,
    again: `1;${LONG}\r\nx\r\n`,
    fault: /more than 1048576 bytes/,
  },
  trailers: { begin: `${CHUNKED}0\r\n`, again: "a: b\r\n", fault: /Header overflow|more than 1048576 bytes/ },
};

/** Answers without an end, as fast as it is read. `onBytes` is told how many bytes were written. */
export function answerWithoutEnd(
  socket: Socket,
  { begin, again }: EndlessAnswer,
  onBytes: (count: number) => void = () => undefined,
): void {
  const block = Buffer.from(again.repeat(Math.ceil(32_768 / again.length)));
  const goOn = (error?: Error | null): void => {
    if (error || !socket.writable) return;
    onBytes(block.length);
    socket.write(block, goOn);
  };
  socket.setNoDelay(true);
  if (begin !== "") socket.write(begin);
  goOn();
}
