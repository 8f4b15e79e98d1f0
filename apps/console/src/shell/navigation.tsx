import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { signOut } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { NamespaceChoice } from './namespace-choice.tsx';
import { pages } from './pages.ts';
import { chooseTheme, chosenTheme, themes } from './theme.ts';

export function Navigation({
  username,
  onSearch,
}: {
  readonly username: string;
  readonly onSearch: () => void;
}) {
  return (
    <div className="sidebar">
      <div className="brand">
        <img src="/console/icon.svg" alt="" width="26" height="26" />
        <span>Tinkerbell</span>
      </div>
      <button type="button" className="search-button" onClick={onSearch}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Pages">
        {pages.map(({ path, title, icon }) => (
          <Link key={path} to={path} activeOptions={{ exact: path === '/', includeSearch: false }}>
            <Icon name={icon} />
            <span>{title}</span>
          </Link>
        ))}
      </nav>
      <div className="sidebar-end">
        <NamespaceChoice />
        <ThemeButton />
        <User username={username} />
      </div>
    </div>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="side-button"
      onClick={() => {
        chooseTheme(next);
        setTheme(next);
      }}
    >
      <Icon name="theme" />
      <span>Theme: {theme}</span>
    </button>
  );
}

function User({ username }: { readonly username: string }) {
  const cache = useQueryClient();
  const leave = async (): Promise<void> => {
    await signOut();
    cache.clear();
    location.assign('/console/');
  };
  return (
    <div className="user">
      <span className="username" title={username}>
        {username}
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => void leave()}
      >
        <Icon name="leave" />
      </button>
    </div>
  );
}
