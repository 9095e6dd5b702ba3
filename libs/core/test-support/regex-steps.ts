/**
 * Runs a regular expression as a backtracking engine does, and counts its steps: so a test bounds the work of an
 * expression on hostile texts without a clock. It knows what the rules of `print-rules.ts` are written in: classes,
 * escapes, groups, lookarounds and quantifiers, greedy ones alone; no back references.
 */

interface Program {
  readonly steps: readonly Step[];
}
type Step =
  | { do: "read"; fits: RegExp }
  | { do: "split"; first: number; second: number }
  | { do: "go"; to: number }
  | { do: "stand"; holds: (text: string, at: number) => boolean }
  | { do: "look"; for: Program; isBehind: boolean; isNegated: boolean };

/** The next step, and where in the text it is taken. */
interface Place {
  step: number;
  at: number;
}

export interface Counted {
  steps: number;
  /** `[from, to]` of each match, as `matchAll` finds them. */
  matches: [number, number][];
}

/** All matches of `regex` in `text`. Throws once it has taken more than `limit` steps. */
export function countSteps(regex: RegExp, text: string, limit = Infinity): Counted {
  const run = new Run(text, limit);
  const program = new Parser(regex).parse();
  const matches: [number, number][] = [];
  for (let at = 0; at <= text.length; at++) {
    const end = run.endOf(program, at);
    if (end === null) continue;
    matches.push([at, end]);
    if (!regex.global) break;
    at = Math.max(at, end - 1);
  }
  return { steps: run.steps, matches };
}

class Run {
  steps = 0;

  constructor(
    private readonly text: string,
    private readonly limit: number,
  ) {}

  /** Where the first match ends that begins at `from`; `to`: it must end there. */
  endOf({ steps }: Program, from: number, to: number | null = null): number | null {
    const untried: Place[] = [{ step: 0, at: from }];
    for (let place = untried.pop(); place; place = untried.pop()) {
      const end = this.endOfWay(steps, place, untried);
      if (end !== null && (to === null || end === to)) return end;
    }
    return null;
  }

  /** One way, until it ends or fails; what may be tried instead is left behind. */
  private endOfWay(steps: readonly Step[], { step, at }: Place, untried: Place[]): number | null {
    for (let one = steps[step]; one !== undefined; one = steps[step]) {
      if (++this.steps > this.limit) throw new Error(`more than ${this.limit} steps`);
      if (one.do === "split") untried.push({ step: one.second, at });
      else if (!this.holds(one, at)) return null;
      if (one.do === "read") at++;
      step = one.do === "split" ? one.first : one.do === "go" ? one.to : step + 1;
    }
    return at;
  }

  private holds(step: Exclude<Step, { do: "split" }>, at: number): boolean {
    if (step.do === "go") return true;
    if (step.do === "read") return at < this.text.length && step.fits.test(this.text[at]!);
    if (step.do === "stand") return step.holds(this.text, at);
    return this.isSeen(step, at) !== step.isNegated;
  }

  private isSeen({ for: wanted, isBehind }: Extract<Step, { do: "look" }>, at: number): boolean {
    if (!isBehind) return this.endOf(wanted, at) !== null;
    for (let from = at; from >= 0; from--) if (this.endOf(wanted, from, at) !== null) return true;
    return false;
  }
}

const LOOKS = [
  ["(?=", false, false],
  ["(?!", false, true],
  ["(?<=", true, false],
  ["(?<!", true, true],
] as const;
const isWordAt = (text: string, at: number): boolean => /^\w$/.test(text[at] ?? "");
const STANDS: Record<string, (text: string, at: number) => boolean> = {
  "^": (_text, at) => at === 0,
  $: (text, at) => at === text.length,
  "\\b": (text, at) => isWordAt(text, at - 1) !== isWordAt(text, at),
};

class Parser {
  private at = 0;
  private readonly source: string;
  private readonly flags: string;

  constructor(regex: RegExp) {
    this.source = regex.source;
    this.flags = regex.flags.replace("g", "");
  }

  parse(): Program {
    const steps = this.choice();
    if (this.at < this.source.length) throw new Error(`cannot read ${this.source.slice(this.at)}`);
    return { steps };
  }

  private choice(): Step[] {
    const first = this.sequence();
    if (!this.take("|")) return first;
    const second = this.choice();
    const split: Step = { do: "split", first: 1, second: first.length + 2 };
    return [
      split,
      ...moved(first, 1),
      { do: "go", to: first.length + second.length + 2 },
      ...moved(second, first.length + 2),
    ];
  }

  private sequence(): Step[] {
    const steps: Step[] = [];
    while (this.at < this.source.length && !/[|)]/.test(this.source[this.at]!))
      steps.push(...moved(this.repeated(this.atom()), steps.length));
    return steps;
  }

  private atom(): Step[] {
    for (const [sign, isBehind, isNegated] of LOOKS)
      if (this.take(sign)) return [{ do: "look", for: { steps: this.group() }, isBehind, isNegated }];
    if (this.take("(?:") || this.take("(")) return this.group();
    for (const [sign, holds] of Object.entries(STANDS)) if (this.take(sign)) return [{ do: "stand", holds }];
    const [text] = /^(?:\[(?:\\.|[^\\\]])*\]|\\u[0-9a-f]{4}|\\.|[^\\])/i.exec(this.source.slice(this.at))!;
    this.at += text.length;
    return [{ do: "read", fits: new RegExp(`^${text}$`, `${this.flags}s`) }];
  }

  private group(): Step[] {
    const steps = this.choice();
    if (!this.take(")")) throw new Error("a group does not end");
    return steps;
  }

  private repeated(atom: readonly Step[]): Step[] {
    const [text = "", sign, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(this.source.slice(this.at)) ?? [];
    if (text === "") return [...atom];
    this.at += text.length;
    const min = sign === undefined ? Number(least) : Number(sign === "+");
    const bound = comma ? Number(most || Infinity) : min;
    const max = sign === undefined ? bound : sign === "?" ? 1 : Infinity;
    const steps: Step[] = [];
    const add = (more: readonly Step[]): void => void steps.push(...moved(more, steps.length));
    for (let count = 0; count < min; count++) add(atom);
    const size = atom.length;
    if (max === Infinity) add([{ do: "split", first: 1, second: size + 2 }, ...moved(atom, 1), { do: "go", to: 0 }]);
    else
      for (let count = min; count < max; count++)
        add([{ do: "split", first: 1, second: (size + 1) * (max - count) }, ...moved(atom, 1)]);
    return steps;
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }
}

/** The same behind others. */
function moved(steps: readonly Step[], by: number): Step[] {
  return steps.map((step) => {
    if (step.do === "split") return { ...step, first: step.first + by, second: step.second + by };
    return step.do === "go" ? { ...step, to: step.to + by } : step;
  });
}
