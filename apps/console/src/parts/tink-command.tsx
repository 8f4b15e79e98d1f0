import { useState } from 'react';

/** The command that does the same, to copy. */
export function TinkCommand({ command }: { readonly command: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    // Browsers allow it over https and on loopback only. The text can be selected anyway.
    await navigator.clipboard?.writeText(command);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <div className="tink-command">
      <code>
        {command
          .split(/(\s+)/)
          .map((word, index) => (word.trim() === '' ? word : <span key={`${index} ${word}`}>{word}</span>))}
      </code>
      <button type="button" aria-label="Copy the command" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
