// OData error: a status, a code and a sentence, answered as {error: {code, message}}.

export class ODataError extends Error {
  override readonly name = 'ODataError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function badRequest(message: string): ODataError {
  return new ODataError(400, 'BadRequest', message);
}
