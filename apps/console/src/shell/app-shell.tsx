/** The frame of every page: navigation, connection, command palette, and the sign-in page for everybody else. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { onSessionEnd } from '../api/request.ts';
import { currentUser } from '../api/session.ts';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Navigation } from './navigation.tsx';
import { usePlainLinks } from './use-plain-links.ts';
import { Icon } from '../parts/icon.tsx';
import { preloadDialogs } from '../parts/modal.tsx';
import { Notices } from '../parts/notices.tsx';

/** After the first page has its data. */
const PRELOAD_MS = 3000;
const CommandPalette = lazy(() => import('./command-palette.tsx'));

export function AppShell() {
  const cache = useQueryClient();
  const {
    data: user,
    isPending,
    error,
  } = useQuery({ queryKey: ['user'], queryFn: currentUser, staleTime: Infinity });
  const [hasEnded, setHasEnded] = useState(false);
  useEffect(() => onSessionEnd(() => setHasEnded(true)), []);
  if (isPending) return <p className="waiting">Connecting…</p>;
  if (error !== null)
    return (
      <main className="empty">
        <h1>The server does not answer</h1>
        <p>Check that it runs and that you can reach it, then reload this page.</p>
      </main>
    );
  const signedIn = async (): Promise<void> => {
    await cache.invalidateQueries();
    setHasEnded(false);
    // Streams that wait for their next attempt try at once.
    globalThis.dispatchEvent(new Event('online'));
  };
  if (user === null || user === undefined) return <SignInPage onSignedIn={signedIn} />;
  return (
    <>
      {/* What somebody typed is not lost when the session ends: the page stays below. */}
      {hasEnded && (
        <div className="cover">
          <SignInPage
            onSignedIn={signedIn}
            reason="Your session has ended. Sign in again to continue where you were."
          />
        </div>
      )}
      <SignedIn username={user.username} />
    </>
  );
}

function SignedIn({ username }: { readonly username: string }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { pathname } = useLocation();
  usePlainLinks();
  useEffect(() => {
    const timer = setTimeout(preloadDialogs, PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => setMenuOpen(false), [pathname]);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen((isOpen) => !isOpen);
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return (
    <div className={isMenuOpen ? 'shell menu-open' : 'shell'}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="phone-bar">
        <button
          type="button"
          className="icon-button"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <strong>Tinkerbell</strong>
        <button
          type="button"
          className="icon-button"
          aria-label="Search"
          onClick={() => setPaletteOpen(true)}
        >
          <Icon name="search" />
        </button>
      </header>
      <Navigation username={username} onSearch={() => setPaletteOpen(true)} />
      <div className="content-column">
        <ConnectionBanner />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Notices />
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
