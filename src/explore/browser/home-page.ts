// Module of the page of one home: its photos, its live stream, and what one can do with it.

import { showAccount } from './account-menu.ts';
import './trusted-types.ts';
import { showAccount } from './account-menu.ts';
import { startHome } from './home-parts.ts';

showAccount();
startHome(document);

showAccount();
