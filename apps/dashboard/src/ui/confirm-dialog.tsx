import { useEffect, useRef } from "preact/hooks";

interface ConfirmDialogProps {
  title: string;
  question: string;
  /** What the button that goes on says. */
  confirm: string;
  onAnswer: (isConfirmed: boolean) => void;
}

/** Asks before something that cannot be undone. The way back comes first and so has the focus; Escape takes it too. */
export function ConfirmDialog({ title, question, confirm, onAnswer }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const asker = document.activeElement;
    dialog.current?.showModal();
    return () => asker instanceof HTMLElement && asker.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      aria-describedby="confirm-question"
      onCancel={(event: Event) => {
        event.preventDefault();
        onAnswer(false);
      }}
    >
      <h2 id="confirm-title">{title}</h2>
      <p id="confirm-question">{question}</p>
      <div class="buttons">
        <button type="button" onClick={() => onAnswer(false)}>
          Back
        </button>
        <button type="button" class="danger" onClick={() => onAnswer(true)}>
          {confirm}
        </button>
      </div>
    </dialog>
  );
}
