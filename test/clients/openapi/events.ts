// Server-sent events of a response: what each client without a reader of its own adds to what is generated.

export interface ServerSentEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The events of a response, comments left out. */
export async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream() as never) ?? []) {
    text += String(chunk);
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const fieldOf = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [event, data] = [fieldOf('event'), fieldOf('data')];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}
