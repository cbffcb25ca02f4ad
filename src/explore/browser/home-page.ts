// Module of the page of one home: its photos, its live stream, the account, and what one can do with it.

import './trusted-types.ts';
import { showAccount } from './account-menu.ts';
import { startHome } from './home/home-parts.ts';
import { startSearch } from './search/search-box.ts';

showAccount();
startSearch();
startHome(document);
