/** Types of process settings, and parsers of their values. */
import { isIP } from 'node:net'
import { isUrl } from './text/parse-url.ts'

export interface Setting<T> {
  fallback: string
  meaning: string
  /** Throws an error whose message names a valid value. */
  read: (value: string, home: string) => T
}

/** @param what description of a valid value */
export function refuse(what: string): never {
  throw new Error(what)
}

export function wholeNumber(value: string, min: number, max: number): number {
  const number = Number(value)
  return /^\d+$/.test(value) && number >= min && number <= max ? number : refuse(`a number from ${min} to ${max}`)
}

/** `192.0.2.1`, `10.0.0.0/8` and `2001:db8::/32`. `/0` is rejected, since it would trust everyone. */
export function readNetworks(value: string): string[] {
  if (value === 'none') return []
  return value.split(/[\s,]+/).map((text) => {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const family = isIP(address)
    const isRight = family !== 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128)))
    return isRight ? text : refuse('a list of addresses and networks, such as 10.0.0.0/8')
  })
}

export function readHost(value: string): string {
  return /^[\w.:-]+$/.test(value) ? value : refuse('an address or host name')
}

export function readUrl(value: string): string | null {
  if (!value) return null
  const url = isUrl(value) ? new URL(value) : refuse('a URL')
  if (!/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) refuse('an http or https URL without query or credentials')
  return url.href.replace(/\/+$/, '')
}

/** Empty if none is given: host and port are then derived. */
export function readSshUrl(value: string): { host?: string; port?: number } {
  if (!value) return {}
  const [, host, port] =
    /^ssh:\/\/(?:git@)?([\w.-]+|\[[\da-fA-F:]+\])(?::(\d{1,5}))?\/?$/.exec(value) ?? refuse('an ssh:// URL of a host and a port')
  return { host: host as string, port: port === undefined ? 22 : wholeNumber(port, 1, 65_535) }
}

export function readDatabaseUrl(value: string): string | null {
  if (!value) return null
  return /^postgres(ql)?:\/\/./.test(value) && isUrl(value) ? value : refuse('a postgres:// URL')
}

export function secret(value: string, min: number): string | null {
  if (!value) return null
  return value.length >= min && !/\s/.test(value) ? value : refuse(`at least ${min} characters without spaces`)
}
