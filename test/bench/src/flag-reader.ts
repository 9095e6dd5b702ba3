/** Reads the values of options: lists that are separated by commas; undefined: the option is not there, or faulty. */
export class FlagReader {
  constructor(private readonly faults: string[]) {}

  /** @param rest what is no option of the command */
  nothingElse(rest: readonly string[]): void {
    for (const word of rest)
      this.faults.push(word.startsWith("-") ? `no such option: ${word}` : `not expected: ${word}`);
  }

  /** Whole ones, or tenths where `from` is one. */
  numbers(name: string, flag: string | true | undefined, [from, to]: [number, number]): number[] | undefined {
    const numbers = this.words(name, flag)?.map(Number);
    const isWhole = Number.isInteger(from);
    const isStep = (number: number): boolean =>
      isWhole ? Number.isInteger(number) : Number(number.toFixed(1)) === number;
    const isGood = numbers?.every((number) => isStep(number) && number >= from && number <= to);
    if (isGood) return [...new Set(numbers)];
    const kind = isWhole ? "whole numbers" : "numbers with one digit after the point";
    if (numbers) this.faults.push(`--${name} takes ${kind} from ${from} to ${to}, not ${String(flag)}`);
    return undefined;
  }

  names<Name extends string>(
    name: string,
    flag: string | true | undefined,
    known: readonly Name[],
  ): Name[] | undefined {
    const words = this.words(name, flag) ?? [];
    const found = known.filter((each) => words.includes(each));
    for (const word of words) {
      if (!known.some((each) => each === word))
        this.faults.push(`--${name} knows no ${word}, only ${known.join(", ")}`);
    }
    return found.length > 0 ? found : undefined;
  }

  private words(name: string, flag: string | true | undefined): string[] | undefined {
    if (flag === true) this.faults.push(`--${name} needs a value`);
    return typeof flag === "string" ? [...new Set(flag.split(","))] : undefined;
  }
}
