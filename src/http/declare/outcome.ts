/** A reply whose status or headers depend on the result. */

/** Success statuses besides the usual one. */
export type OtherStatus = 202 | 204

export class Outcome<V> {
  /** Null for the usual one of the endpoint. */
  readonly status: OtherStatus | null
  /** Null if there is no body, as with 204. */
  readonly reply: V
  readonly headers: Record<string, string>

  constructor(status: OtherStatus | null, reply: V, headers: Record<string, string>) {
    this.status = status
    this.reply = reply
    this.headers = headers
  }
}

/** Returned by a handler instead of the reply. The status must be listed in `outcomes` of its endpoint. */
export function outcome<V>(status: OtherStatus | null, reply: V, headers: Record<string, string> = {}): Outcome<V> {
  return new Outcome(status, reply, headers)
}
