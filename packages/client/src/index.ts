// What programs import.

export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  type ErrorCode,
  type Fault,
  FreeholdError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
} from './errors.ts';
export { Freehold, type FreeholdOptions, type RentalsQuery, type SalesQuery } from './freehold.ts';
export type * from './generated/types.gen.ts';
export { Pages, type Search } from './pages.ts';
export type { FeedOptions, ListingEvent } from './streams.ts';
export type { Attempt, CallOptions, Limit } from './transport.ts';
export { verifyWebhook, WebhookError } from './webhooks.ts';
