// Entry module of pages whose only script is the account in their header, and of the pages of sign-in.

import { isSignInPage, showAccount } from './account-menu.ts';
import { startSearch } from './search/search-box.ts';
import { signIn } from './session.ts';
import { takeAnswer } from './sign-in.ts';

const callback = document.querySelector('[data-callback]');
if (callback === null) {
  showAccount();
  startSearch();
  const place = document.querySelector<HTMLElement>('[data-sign-in]');
  if (place !== null && isSignInPage()) {
    place.hidden = false;
    place.querySelector('button')?.addEventListener('click', () => void signIn(document.referrer));
  }
} else {
  const view = takeAnswer(new URL(location.href));
  if (view !== null) location.replace(view);
  else {
    // The code in the address is of nobody's use here, and is not left in the history.
    history.replaceState(null, '', location.pathname);
    callback.textContent =
      'Nobody was signed in: this sign-in did not begin in this tab, or was answered before. Go to the map and sign in there.';
  }
}
