/** Keys one after the other, as they stand on a keyboard. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  return (
    <>
      {keys.map((key, index) => (
        <kbd key={index}>{key}</kbd>
      ))}
    </>
  );
}
