// Reader of XML parts: elements and texts as they come, within bounds that no workbook reaches.

import sax, { type SAXParser } from 'sax';
import { FileFault } from './record.ts';

export interface XmlHandler {
  /** Names are without their prefixes. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Long texts come in several parts. */
  text(text: string): void;
  close(name: string): void;
}

const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 200;

/** Parses a part chunk by chunk, and yields after each one, so that its reader can take what the handler has. Throws FileFault. */
export async function* parseXml(
  where: string,
  bytes: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = createParser(where, handler);
  try {
    for await (const chunk of bytes) {
      parser.write(decoder.decode(chunk, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new FileFault(`${where} is no UTF-8: save the workbook again, or as "CSV UTF-8".`);
    throw error;
  }
  yield;
}

/** Parses all of a part. Throws FileFault. */
export async function readXml(
  where: string,
  bytes: AsyncIterable<Buffer>,
  handler: XmlHandler,
): Promise<void> {
  for await (const _ of parseXml(where, bytes, handler)) {
    // The handler keeps what it needs.
  }
}

function createParser(where: string, handler: XmlHandler): SAXParser {
  // Its own buffers are bounded: a name or an attribute of more than 64 kB is an error.
  const parser = sax.parser(true, { position: false });
  let [depth, attributes] = [0, 0];
  parser.onerror = ({ message }) => {
    throw new FileFault(`${where} is damaged: ${message.split('\n', 1)[0]}.`);
  };
  parser.ondoctype = () => {
    throw new FileFault(
      `${where} declares a document type, which may define entities that expand without end: save the workbook again.`,
    );
  };
  parser.onattribute = () => {
    if (++attributes > MAX_ATTRIBUTES)
      throw new FileFault(`${where} has an element of more than ${MAX_ATTRIBUTES} attributes.`);
  };
  parser.onopentag = ({ name, attributes: values }) => {
    attributes = 0;
    if (++depth > MAX_DEPTH) throw new FileFault(`${where} is nested more than ${MAX_DEPTH} elements deep.`);
    handler.open(localName(name), values as Record<string, string>);
  };
  parser.onclosetag = (name) => {
    depth--;
    handler.close(localName(name));
  };
  parser.ontext = (text) => handler.text(text);
  parser.oncdata = (text) => handler.text(text);
  return parser;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
