/**
 * How git connects to untrusted servers over HTTP: to the given addresses only, without redirects or helpers; and what its errors mean to
 * users.
 */
import { Failure } from '../../failure.ts'

export interface Remote {
  /** Without credentials. */
  url: string
  host: string
  port: number
  /** IP addresses of the host, so that git does no DNS lookup. */
  addresses: string[]
  credentials: { username: string; password: string } | null
}

/** Minimum speed of a server, and for how long it may be slower. Some are silent for a minute while they count objects. */
const slowest = { bytes_per_second: 1_000, time_s: 120 }

/** Configuration of one command (`extraConfig`). */
export function settingsFor({ host, port, addresses, credentials }: Remote): Array<[string, string]> {
  const authorization = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  const bracketed = addresses.map((address) => (address.includes(':') ? `[${address}]` : address))
  return [
    // A literal IP address needs no lookup, and so no override.
    ...(addresses.includes(host) ? [] : [['http.curloptResolve', `${host}:${port}:${bracketed.join(',')}`] as [string, string]]),
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['http.lowSpeedLimit', String(slowest.bytes_per_second)],
    ['http.lowSpeedTime', String(slowest.time_s)],
    ['protocol.allow', 'never'],
    ['protocol.http.allow', 'always'],
    ['protocol.https.allow', 'always'],
    ['credential.helper', ''],
    ...(authorization ? [['http.extraHeader', `Authorization: Basic ${authorization}`] as [string, string]] : []),
  ]
}

export const notSpoken = 'What is at this URL does not speak as a git server does'

/** Git's output may contain text of the remote server, so users get messages of our own. */
const reasons: Array<[said: RegExp, reason: string]> = [
  [
    /could not read Username|Authentication failed|returned error: 40[13]/,
    'The repository requires a username and a password, or rejects these',
  ],
  [/repository .* not found|returned error: 404/, 'There is no repository at this URL'],
  [/unable to update url base|returned error: 30\d|redirect/i, 'The URL leads to another, and redirections are not followed'],
  [/not valid: is this a git repository|returned error: \d+|invalid content-type|dumb http/i, notSpoken],
  [/Could not resolve host/, 'The host could not be found'],
  [/Failed to connect|Connection refused|timed out|Couldn't connect/i, 'The host could not be reached'],
  [/Operation too slow/, 'The host is too slow'],
  [/SSL|certificate/i, 'The certificate of the host is not one that can be trusted'],
  [/fsck error|error: object [0-9a-f]+|index-pack failed|unpack-objects failed/, 'Git does not accept the objects of the repository'],
]

/** A Failure whose message gives users the reason in our own words. */
export function refusalIn(stderr: string, failure: Failure, otherwise = 'Git could not fetch the repository'): Failure {
  if (failure.code === 'storage_full') return failure
  const reason = reasons.find(([pattern]) => pattern.test(stderr))?.[1] ?? otherwise
  return new Failure('invalid', reason, { cause: failure.cause })
}
