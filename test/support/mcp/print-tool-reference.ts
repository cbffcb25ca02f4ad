// Program that prints docs/mcp-tools.md.
import { toolReference } from './tool-reference.ts';

process.stdout.write(toolReference());
