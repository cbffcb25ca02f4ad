// Schemas as checks of files and bodies, with all that is wrong with a value.

import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { Errors } from 'typebox/value';

/** Errors that are found in one value, those of each alternative counted; the library itself ends after 8. */
const MAX_ERRORS = 64;
Settings.Set({ maxErrors: MAX_ERRORS });

/** The first 64 errors of a value. */
export const schemaErrors: typeof Errors = Errors;

/** A schema made into code, for what is checked often; it finds as many errors. */
export const compileSchema: typeof Compile = Compile;
