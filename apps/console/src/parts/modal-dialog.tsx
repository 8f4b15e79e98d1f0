import { Dialog } from '@base-ui/react/dialog';
import type { ModalProps } from './modal.tsx';

/** A dialog over the page. Escape and a click beside it close it. */
// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function ModalDialog({ title, onClose, className = '', children }: ModalProps) {
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
