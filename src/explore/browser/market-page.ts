// Entry module of the market page: the figures of a month beside the pointer, and by the arrow keys.

import { showAccount } from './account-menu.ts';
import { showFiguresAtPointer } from './chart-figures.ts';
import { startSearch } from './search/search-box.ts';

for (const box of document.querySelectorAll<HTMLElement>('[data-chart]')) showFiguresAtPointer(box);

showAccount();
startSearch();
