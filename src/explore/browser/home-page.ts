// Module of the page of one home: its photos, and what one can do with it.

import { showAccount } from './account-menu.ts';
import './trusted-types.ts';
import { startHome } from './home-parts.ts';

startHome(document);

showAccount();
