// Template tags of this page: the templates of the server, rendered by lit-html.

import { html, svg, type TemplateResult } from 'lit-html';
import type { Tags } from '../../page/map/tags.ts';

export const TAGS: Tags<TemplateResult> = { html, svg };
