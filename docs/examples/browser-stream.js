// Watches one listing become fresh, in a page. `token` is an OAuth access token: a page must never hold a key.
export async function watchListing(address, token, onEvent) {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers });
  if (!response.ok) throw new Error((await response.json()).detail);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value = '', done } = await reader.read();
    if (done) return;
    const messages = (rest + value).split('\n\n');
    rest = messages.pop();
    for (const message of messages) {
      const event = /^event: (.*)$/m.exec(message)?.[1];
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (event && data) onEvent(event, JSON.parse(data));
    }
  }
}
