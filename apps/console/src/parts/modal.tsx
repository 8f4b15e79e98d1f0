import { lazy, Suspense, type ReactNode } from 'react';

export interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

const load = () => import('./modal-dialog.tsx');
const ModalDialog = lazy(load);

/** Loads dialogs before the first is needed. A connection that is lost later does not prevent them. */
export function preloadDialogs(): void {
  void load().catch(() => undefined);
}

/** A dialog over the page. Escape and a click beside it close it. It is not part of the first load. */
export function Modal(props: ModalProps) {
  return (
    <Suspense>
      <ModalDialog {...props} />
    </Suspense>
  );
}
