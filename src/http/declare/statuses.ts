/** The statuses with which an endpoint may answer, and why: the documentation lists them, and tests check every reply against them. */
import { defaultStatus, type FailureCode } from '../../failure.ts'
import type { Endpoint } from './endpoint.ts'

const reasons: Record<FailureCode, string> = {
  not_modified: 'Nothing to change.',
  invalid: 'A parameter is missing or malformed, or a value breaks a rule.',
  unauthorized: 'The credentials are missing or wrong.',
  forbidden: 'The caller may not do this, or the scope of the token does not allow it.',
  insufficient_scope: 'The scope of the token does not allow it.',
  limit_reached: 'A limit is reached.',
  not_found: 'There is no such thing, or the caller cannot see it.',
  method_not_allowed: 'Not possible in the current state.',
  not_acceptable: 'Not possible as things stand: what is in the way is told.',
  ref_moved: 'A ref was changed at the same time.',
  ref_denied: 'A rule of the project forbids to change the ref.',
  conflict: 'In conflict with what exists.',
  unmodified_since: 'Changed after the time given in If-Unmodified-Since.',
  too_large: 'The body, or the requested content, is too large.',
  unsupported: 'The content type or format is not supported.',
  range_unsatisfiable: 'There are no such bytes.',
  unprocessable: 'Understood, but cannot be processed.',
  too_many: 'Too many requests.',
  too_many_at_once: 'Too many requests at once.',
  client_gone: 'The client closed the connection.',
  git_failed: 'An unexpected error.',
  storage_full: 'An unexpected error.',
  not_implemented: 'This server does without it.',
  database_unavailable: 'Temporarily unavailable.',
  timed_out: 'It took too long.',
  busy: 'Too busy; try again later.',
}

/** Any request may get these, so the document describes them once. */
export const everywhere: ReadonlyMap<number, string> = new Map([
  [429, 'Too many requests; try again after the seconds in Retry-After.'],
  [500, 'An unexpected error; it is in the log of the server.'],
  [503, 'Too busy or temporarily unavailable; try again after the seconds in Retry-After.'],
])

/** Statuses that follow from the kind, method and declaration of an endpoint, besides those above. */
export function refusalsOf(endpoint: Endpoint): Map<number, string> {
  const { kind, method, access, lastChanged, fails, statuses, bytes } = endpoint
  const isOpen = access.anonymous && (method === 'GET' || endpoint.changesNothing || access.own_credential)
  const refusals = new Map<number, string>([
    [400, reasons.invalid],
    [401, isOpen ? 'The credentials are wrong.' : reasons.unauthorized],
    [403, reasons.forbidden],
    // Without a path parameter, it is a user named by `sudo`, or something that a parameter names.
    [404, reasons.not_found],
  ])
  if (method !== 'GET') refusals.set(413, 'The body is too large.')
  if (method !== 'GET' && !bytes) refusals.set(415, 'The content type of the body is not supported.')
  if (bytes?.maxPiece_bytes) refusals.set(416, 'The piece does not follow what is there.')
  if (method === 'GET') refusals.set(304, 'The client has it already: its entity tag is in If-None-Match.')
  if (kind === 'stream') refusals.set(416, 'There are no such bytes.')
  if (lastChanged) refusals.set(412, reasons.unmodified_since)
  for (const code of [...access.fails, ...fails]) add(refusals, statuses[code] ?? defaultStatus(code), reasons[code])
  for (const [code, status] of Object.entries(statuses))
    if (!fails.includes(code as FailureCode)) add(refusals, status, reasons[code as FailureCode])
  for (const status of everywhere.keys()) refusals.delete(status)
  return new Map([...refusals].sort(([one], [other]) => one - other))
}

function add(refusals: Map<number, string>, status: number, reason: string): void {
  const known = refusals.get(status)
  refusals.set(status, known && known !== reason ? `${known} ${reason}` : reason)
}

/** Every status a reply of the endpoint may have. */
export function statusesOf(endpoint: Endpoint): Set<number> {
  const successes = [
    endpoint.status,
    ...(endpoint.kind === 'stream' ? [206] : []),
    ...Object.keys(endpoint.outcomes).map(Number),
    ...(endpoint.headStatus === null ? [] : [endpoint.headStatus]),
  ]
  return new Set([...successes, ...refusalsOf(endpoint).keys(), ...everywhere.keys()])
}
