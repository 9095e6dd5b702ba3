import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  title: string;
  children: ComponentChildren;
  /** What it consists of below the text; the way back stands first. */
  footer?: ComponentChildren;
  /** Escape, or a press beside it. Absent: it cannot be left. */
  onClose?: () => void;
  class?: string;
  /** It has no head of its own; the title is its name. */
  isBare?: boolean;
}

/** A native modal dialog. When it is gone, the focus is where it was before. */
export function Dialog({ title, children, footer, onClose, class: name, isBare = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={isBare ? title : undefined}
      aria-labelledby={isBare ? undefined : id}
      onCancel={(event: Event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => event.target === dialog.current && onClose?.()}
    >
      {!isBare && (
        <header>
          <h2 id={id}>{title}</h2>
        </header>
      )}
      {isBare ? children : <div class="body">{children}</div>}
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  question: string;
  /** What the button that goes on says. */
  confirm: string;
  onAnswer: (isConfirmed: boolean) => void;
}

/** Asks before something that cannot be undone. The way back comes first and so has the focus; Escape takes it too. */
export function ConfirmDialog({ title, question, confirm, onAnswer }: ConfirmDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={() => onAnswer(false)}
      footer={
        <>
          <button type="button" onClick={() => onAnswer(false)}>
            Back
          </button>
          <button type="button" class="danger primary" onClick={() => onAnswer(true)}>
            {confirm}
          </button>
        </>
      }
    >
      <p>{question}</p>
    </Dialog>
  );
}
