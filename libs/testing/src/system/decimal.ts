/** An exact decimal: `digits` divided by ten to the power of `scale`, which is at least 0. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

/** The decimal of a number's text in JSON. It keeps the places that are written: `1.50` has two. */
export function decimalOf(text: string): Decimal {
  const [, sign, whole, fraction = "", exponent = "0"] = NUMBER.exec(text)!;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export function sum(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: digitsAt(one, scale) + digitsAt(other, scale), scale };
}

/** Whether the first is greater than the second. */
export function greater(one: Decimal, other: Decimal): boolean {
  const scale = Math.max(one.scale, other.scale);
  return digitsAt(one, scale) > digitsAt(other, scale);
}

/** The same number without zeros at the end of its places. */
export function trimmed({ digits, scale }: Decimal): Decimal {
  let rest = digits;
  let places = scale;
  for (; places > 0 && rest % 10n === 0n; places--) rest /= 10n;
  return { digits: rest, scale: places };
}

/** Written out, without an exponent. */
export function plainText({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const sign = digits < 0n ? "-" : "";
  return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}
