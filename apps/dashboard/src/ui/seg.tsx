interface SegProps<T extends string> {
  label: string;
  choices: readonly { readonly value: T; readonly text: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** One of a few. */
export function Seg<T extends string>({ label, choices, value, onChange }: SegProps<T>) {
  return (
    <div class="seg" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.text}
        </button>
      ))}
    </div>
  );
}
