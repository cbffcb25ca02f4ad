// Entry module of the front page: suggestions in its search box.

import { startSearch } from './search/search-box.ts';

startSearch();
