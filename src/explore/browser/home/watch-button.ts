// Button that has this service watch one home, for people who are signed in.

import { signIn, token } from '../session.ts';

interface Watched {
  readonly id: string;
  /** Name of the watcher. */
  readonly name: string;
  /** Prefix of links from the page to the root of the service. */
  readonly root: string;
}

/** The button, and the line that says what became of it. */
export function watchButton(home: Watched): readonly HTMLElement[] {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn';
  button.textContent = 'Watch';
  const note = document.createElement('p');
  note.className = 'quiet';
  note.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    button.disabled = true;
    const outcome = await watch(home);
    show(outcome, button, note, home);
    button.disabled = outcome === null;
  });
  return [button, note];
}

/** Null: the home is watched; a text: why it is not. */
async function watch({ id, name, root }: Watched): Promise<string | null> {
  const access = await token().catch(() => null);
  if (access === null) {
    void signIn();
    return 'Sign in to watch this home.';
  }
  try {
    const response = await fetch(`${root}v1/watchers`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access}`,
        'content-type': 'application/json',
        // Pressed again, the button leaves one watcher of the home.
        'idempotency-key': `explore-${id}`,
      },
      body: JSON.stringify({ name, target: { type: 'listing', listingId: id } }),
    });
    if (response.ok) return null;
    const problem = await response.json().catch(() => ({}));
    return String(problem.detail ?? `The service answered ${response.status}.`);
  } catch {
    return 'The service does not answer. Try again in a moment.';
  }
}

function show(outcome: string | null, button: HTMLButtonElement, note: HTMLElement, { root }: Watched): void {
  if (outcome !== null) {
    note.textContent = outcome;
    return;
  }
  button.textContent = 'Watched';
  const link = document.createElement('a');
  link.href = `${root}account/watchers`;
  link.textContent = 'your watchers';
  note.replaceChildren('Its changes are kept with ', link, '.');
}
