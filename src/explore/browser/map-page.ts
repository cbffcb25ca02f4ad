// Entry module of the map page: the live map in place of the drawn one.

import './trusted-types.ts';
