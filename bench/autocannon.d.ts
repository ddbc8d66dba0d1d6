/** The part of autocannon that the bench uses; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    url: string
    connections: number
    /** In seconds. */
    duration?: number
    /** So many requests instead. */
    amount?: number
    headers: Record<string, string>
  }
  interface Result {
    '2xx': number
    non2xx: number
    errors: number
    /** In seconds. */
    duration: number
  }
  interface Run extends PromiseLike<Result> {
    on: (event: 'response', listener: (client: unknown, status: number, bytes: number, time_ms: number) => void) => void
  }
  export default function autocannon(options: Options): Run
}
