import type { ReactNode } from 'react';
import { Dialog } from '@base-ui/react/dialog';

/** A dialog over the page. Escape and a click beside it close it. */
export function Modal({
  title,
  onClose,
  className = '',
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={`modal ${className}`}>
          <Dialog.Title className="modal-title">{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
